"""The workbook of a plan, edited and read again."""
