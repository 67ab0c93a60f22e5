"""Which tables are taken, and limits on them: no file can exhaust memory or time."""

#: How names of files that are tables end; what one is, its first bytes say.
TABLES = ("csv", "tsv", "txt", "xlsx", "parquet")

#: Size of a file, bytes.
MAX_BYTES = 200 * 1024**2
#: Rows of data, without the header.
MAX_ROWS = 1_000_000
#: Columns of a table.
MAX_COLUMNS = 1_000
#: Cells of a table: about 2 GB as numbers.
MAX_CELLS = 250_000_000
#: Size of a workbook or Parquet file once unpacked, bytes.
MAX_UNPACKED_BYTES = 2 * 1024**3
#: Text of a Parquet file once unpacked, bytes; a CSV file has no more than its size.
MAX_TEXT_BYTES = 256 * 1024**2
#: Processor time in which a file must be read, seconds.
READ_SECONDS = 120
#: Memory in which a file must be read, bytes.
READ_MEMORY = 2 * 1024**3
#: Files inside a workbook.
MAX_MEMBERS = 2_000
#: Unpacked over packed size of a workbook; spreadsheets reach about 30.
MAX_RATIO = 150
#: Up to this unpacked size a high ratio does no harm, bytes.
HARMLESS_BYTES = 64 * 1024**2
