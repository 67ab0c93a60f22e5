"""What a project is set to: project.toml, and the data that it keeps."""
