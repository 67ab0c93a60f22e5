"""Shown: the results of one fit, in the periods that were chosen."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st
import xarray as xr

from core import text as fmt
from core.charts.drawing import style
from core.service.records import stretches
from core.service.records.fit import FitRecord, Run
from core.service.records.stretches import Choice
from pages.ui import drawn, reading


@dataclass(frozen=True)
class Results:
    """What the views show.

    Attributes:
        run: The fit.
        fit: What it says.
        truth: True ROI by channel; empty for real data.
        units: Words for the units.
        period: Periods of the data that the numbers are for; None for all of them.
    """

    run: Run
    fit: FitRecord
    truth: dict[str, float]
    units: fmt.Units
    period: Choice | None = None

    @property
    def project_folder(self) -> Path:
        """The project of the fit."""
        return self.run.folder.parents[1]

    def view(self, name: str):
        """A dataset of the result."""
        return reading.result_dataset(self.run.folder, name)

    def sources(self) -> xr.Dataset:
        """sources.nc, whose sum over all periods is that of channels.nc."""
        return stretches.levelled(self.view("sources"), self.view("channels"))

    def returned(self) -> xr.Dataset:
        """What channels brought in the periods, in the form of channels.nc."""
        if self.period is None:
            return self.view("channels")
        return stretches.returned(self.sources(), self.period)

    def chart(
        self,
        name: str,
        make: Callable[..., go.Figure],
        *key: Hashable,
    ) -> None:
        """A figure of the result, drawn once."""
        drawn.show(f"channels.{name}", make, *key, run=self.run)

    def pair(
        self, makers: Sequence[tuple[str, Callable[..., go.Figure]]], *key: Hashable
    ) -> None:
        """Figures side by side, whose plots begin at the same height; two at most."""
        names = tuple(name for name, _ in makers)
        for i, column in enumerate(st.columns(2, gap="medium")[: len(makers)]):

            def make(i: int = i, **how: str) -> go.Figure:
                figures = [maker(**how) for _, maker in makers]
                return style.level(figures[i], *figures)

            with column:
                self.chart(names[i], make, *names, *key)
