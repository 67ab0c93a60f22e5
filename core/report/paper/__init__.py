"""The report on paper: a PDF with contents, page numbers and tags."""
