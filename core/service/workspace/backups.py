"""Backup and restore of a workspace."""

from core.project.backup.archive import Archive, Manifest
from core.project.backup.restore import Restored, restore
from core.project.backup.take import take_backup
