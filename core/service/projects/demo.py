"""The demo project: a simulated market whose returns are known."""

import os

from core.data.simulate import DEMO_SEED, simulate_market
from core.service.projects.shelf import create_project, project_folder, true_rois, truth


def demo_project(name: str) -> dict[str, float]:
    """Make the demo project, unless it is there, and give its true ROI by channel.

    Args:
        name: Of the project.

    Raises:
        WorkspaceError: It cannot be written.
    """
    folder, market = project_folder(name), simulate_market(DEMO_SEED)
    if not os.path.isfile(folder / "project.toml"):
        create_project(
            name,
            market.frame,
            market.mapping,
            truth={"channels": market.truth},
            currency="EUR",
        )
    return true_rois(truth(folder)) or true_rois({"channels": market.truth})
