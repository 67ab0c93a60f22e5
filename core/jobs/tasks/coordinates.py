"""The coordinates that a sampler moves in: a fit that goes on from another shares them.

How well data know a deviation decides in which coordinate the sampler moves
(`core.model.latents.constrain`), and some new weeks may tip it. Positions of the fit
before would then mean something else. So a checkpoint keeps its coordinates, and a
refresh takes those of the fit that it refreshes.
"""

from dataclasses import replace
from pathlib import Path

import jax.numpy as jnp
import numpy as np

from core.errors import MMMError
from core.model.build import Model
from core.store.atomic import write_json
from core.store.run_about import read_about
from core.store.stored import read_object

#: In the folder of a run.
CHECKPOINT = "checkpoint"
_FILE = "coordinates.json"


def has_begun(run: Path) -> bool:
    """Whether a run's checkpoint holds more than its coordinates."""
    return any(path.name != _FILE for path in (run / CHECKPOINT).iterdir())


def in_kept_coordinates(run: Path, model: Model) -> Model:
    """The model in the coordinates of the fit that its run goes on from.

    Args:
        run: The run's folder, which keeps them from now on.
        model: Its model, in coordinates of its own.

    Raises:
        WorkspaceError: They cannot be written.
    """
    if not model.arrays.errors:
        return model
    before = read_about(run).before
    model = in_coordinates_of(run, model, *([run.parent / before] if before else ()))
    errors = {
        name: np.asarray(each).tolist() for name, each in model.arrays.errors.items()
    }
    write_json(run / CHECKPOINT / _FILE, errors)
    return model


def in_coordinates_of(fit: Path, model: Model, *others: Path) -> Model:
    """The model in the coordinates that a fit keeps.

    Args:
        fit: Its folder.
        model: A model.
        others: Folders of fits whose coordinates count where that one keeps none.
    """
    for folder in (fit, *others):
        errors = _kept(folder / CHECKPOINT / _FILE, model)
        if errors is not None:
            return replace(model, arrays=model.arrays._replace(errors=errors))
    return model


def _kept(path: Path, model: Model) -> dict | None:
    """Coordinates that a checkpoint keeps; None where they are not this model's."""
    try:
        stored = read_object(path)
    except (OSError, MMMError):
        return None
    own = model.arrays.errors
    results = {
        name: jnp.asarray(value, own[name].dtype)
        for name, value in stored.items()
        if name in own
    }
    is_same = {name: each.shape for name, each in results.items()} == {
        name: each.shape for name, each in own.items()
    }
    return results if is_same else None
