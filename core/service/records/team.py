"""Roles of a team, for faces that name their types."""

from core.team.roles import Role
