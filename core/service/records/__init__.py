"""The records that the service gives, for faces that name their types."""
