"""Settings of a project: read, written, by default, and what another has changed."""

from core.project.settings.defaults import aligned, default_knots, default_spec
from core.project.settings.definition import Project, changes
from core.project.settings.project import (
    FILE,
    data_file,
    load_project,
    project_sha256,
    save_project,
)
from core.project.shelf.merging import Conflict, differences, last_save
