"""Charts: labelled tables in, Plotly figures out."""
