"""Options of the commands that keep a server: backup, restore, status, delete."""

from core.cli.parts import Add


def add_operations(add: Add) -> None:
    """Add backup, restore, status and delete."""
    backup = add(
        "backup",
        "team.backups:backup",
        "back up the workspace to one file while it is in use",
    )
    backup.add_argument("file", metavar="FILE", help="a name that ends in .zip")
    backup.add_argument(
        "--project", metavar="PROJECT", help="only this project (the whole workspace)"
    )
    restore = add(
        "restore", "team.backups:restore_command", "restore a backup, checked by hash"
    )
    restore.add_argument("file", metavar="FILE", help="written by backup")
    restore.add_argument(
        "--project", metavar="NAME", help="only this project of the backup (all)"
    )
    restore.add_argument(
        "--as", dest="name", metavar="NAME", help="call the project by another name"
    )
    restore.add_argument(
        "--yes",
        action="store_true",
        help="replace projects that have changed since; the trash keeps them",
    )
    restore.add_argument(
        "--check", action="store_true", help="only check that the backup is whole"
    )
    status = add(
        "status",
        "team.server:status",
        "queue, runs, disk, backups; can a fit start?",
    )
    status.add_argument(
        "--metrics",
        metavar="FILE",
        help="write OpenMetrics for node_exporter's textfile collector (.prom)",
    )
    delete = add(
        "delete", "team.delete:delete", "move a project of the app to the trash"
    )
    delete.add_argument("project", metavar="NAME", help="of a project of the app")
    delete.add_argument(
        "--for-good",
        action="store_true",
        help="delete it with its runs and plans, and what the trash has of it",
    )
