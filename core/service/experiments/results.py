"""Results of lift tests for a model: read from a table, and what is wrong with them."""

from collections.abc import Sequence

import pandas as pd

from core.data.experiments.entry import Entry
from core.data.experiments.experiment_checks import check_experiments
from core.data.experiments.experiment_table import ExperimentFile, read_experiments
from core.data.input_data import InputData
from core.data.mapping import ColumnMapping
from core.data.reading.findings import Finding
from core.model.market import Market


def results_of(frame: pd.DataFrame, filename: str, market: Market) -> ExperimentFile:
    """The results that a table holds.

    Args:
        frame: The table of a file, as it was loaded.
        filename: The file's name, for messages.
        market: Whose geos a cell of several is cut by, and whose currency it is in.

    Raises:
        SchemaError: Columns that a result needs are missing; `findings` has every one.
    """
    return read_experiments(frame, filename, market.geos, market.units.currency)


def faults(
    results: Sequence[Entry], mapping: ColumnMapping, data: InputData | None
) -> list[Finding]:
    """What is wrong with results of tests, beside the channels and data of a project.

    Args:
        results: As `[[experiment]]` has them.
        mapping: Of the project's columns.
        data: Its market; None where its table has errors.
    """
    kinds = {channel.name: channel.kind for channel in mapping.channels}
    return check_experiments(list(results), kinds, data)
