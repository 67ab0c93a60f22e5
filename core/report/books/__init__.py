"""Books: the report and plans as workbooks."""
