"""The record of a refresh, for faces that name its type."""

from core.project.refresh.record import RefreshRecord
