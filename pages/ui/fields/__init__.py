"""Fields of forms that read more than Streamlit's own."""
