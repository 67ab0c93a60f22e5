"""Fields of forms: those that read more than Streamlit's own, and those of a role."""
