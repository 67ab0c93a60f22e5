"""Run: the stages of a fit from its starts to its last draw, one block at a time.

Progress: how far a run is, and how well its chains agree so far.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from core.errors import SamplingError
from core.fit.chains.chains import Chains
from core.fit.chains.coordinates import moved
from core.fit.chains.kernel import BLOCK, ChainState, Metric, StepSize, Trace
from core.fit.sampling.adaptation import arrived, corrected
from core.fit.sampling.checkpoint import Standing
from core.fit.sampling.warmup import (
    MOST_ARRIVALS,
    Beginning,
    astray,
    first_state,
    placed,
    stuck,
)
from core.text.languages.language import say

#: Coordinates looked at while sampling; enough to see trouble, cheap for any model.
_LOOKED_AT = 200

#: Points of a chain's line while sampling.
_DRAWN = 120

#: Share of a run's progress bar before and after the iterations.
_BEFORE, _AFTER = 0.05, 0.05


def agreement(position: np.ndarray) -> tuple[float | None, float | None]:
    """Largest split R-hat and smallest effective sample size so far.

    Rough and quick, for a screen: no ranks, a sample of the coordinates. The verdict
    on a finished run uses `core.fit.diagnostics`.

    Args:
        position: chain draw dim.
    """
    n_draws, dim = position.shape[1:]
    half = n_draws // 2
    if half < 10:
        return None, None
    some = np.linspace(0, dim - 1, min(dim, _LOOKED_AT)).astype(int)
    x = position[:, :, some].astype(float)
    x = np.concatenate([x[:, :half], x[:, -half:]])
    x = x - x.mean(axis=(0, 1))
    within = x.var(axis=1, ddof=1).mean(axis=0)
    between = x.mean(axis=1).var(axis=0, ddof=1)
    moves = within > 0
    if not moves.any():
        return None, None
    within, between, x = within[moves], between[moves], x[:, :, moves]
    total = within * (half - 1) / half + between
    rhat = np.sqrt(total / within)
    size = len(x) * half / _correlation_time(x, within, total)
    return float(rhat.max()), float(size.min())


def recent(log_density: np.ndarray) -> dict[str, Any]:
    """The log density of every chain so far, thinned for a picture.

    Args:
        log_density: chain draw.
    """
    n_draws = log_density.shape[1]
    at = np.unique(np.linspace(0, n_draws - 1, min(n_draws, _DRAWN)).astype(int))
    values = log_density[:, at].astype(float).round(3)
    chains = [[v if np.isfinite(v) else None for v in row] for row in values.tolist()]
    return {"iterations": (at + 1).tolist(), "log_density": chains}


def _correlation_time(x: np.ndarray, within: np.ndarray, total: np.ndarray):
    """Geyer's initial positive sequence, all coordinates at once."""
    n = x.shape[1]
    centred = x - x.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * n, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :n].mean(axis=0) / n
    correlation = 1 - (within * (n - 1) / n - covariance) / total
    correlation[0] = 1
    even = n - n % 2
    pairs = correlation[:even:2] + correlation[1:even:2]
    pairs = np.where(np.cumprod(pairs > 0, axis=0), pairs, 0)
    pairs = np.minimum.accumulate(pairs, axis=0)
    return np.maximum(2 * pairs.sum(axis=0) - 1, 1 / np.log10(len(x) * n))


class Reporter:
    """Tells the caller how far a run is, in the words of progress.json.

    Args:
        on_progress: Takes a dictionary; None to tell nobody.
    """

    def __init__(self, on_progress: Callable[[dict[str, Any]], None] | None):
        self._tell = on_progress
        self._started = time.monotonic()
        self._pace: list[tuple[float, int]] = []
        self._stage = ""

    def tell(self, phase: str, fraction: float = 0.0, **more: Any) -> None:
        """Report a phase without iterations."""
        if self._tell is not None:
            nothing = {"chains": [], "rhat_max": None, "ess_min": None, "eta": None}
            report = nothing | {"phase": phase, "fraction": fraction, "message": ""}
            self._tell(report | {"elapsed": self.elapsed} | more)

    def tell_iterations(
        self,
        phase: str,
        iterations: int,
        total: int,
        chains: list[dict],
        *,
        pace: str,
        **more: Any,
    ) -> None:
        """Report iterations done, of all chains and phases, and the time left.

        `pace` is the stage whose iterations foretell the rest; empty while chains
        arrive, when one takes up to a hundred times as long as those that follow.
        """
        if pace != self._stage:
            self._stage, self._pace = pace, []
        self._pace = [*self._pace, (time.monotonic(), iterations)][-6:]
        (then, before), (now, _) = self._pace[0], self._pace[-1]
        eta = None
        if pace and iterations > before:
            eta = (now - then) / (iterations - before) * (total - iterations)
        fraction = _BEFORE + (1 - _BEFORE - _AFTER) * iterations / max(total, 1)
        self.tell(phase, fraction, chains=chains, eta=eta, **more)

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._started


#: Iterations after a restart, and how often a run restarts chains.
_RESTART_LENGTH, _MOST_RESTARTS = 50, 2


class Stage(NamedTuple):
    """Iterations of one kind.

    Attributes:
        name: What its random numbers are for.
        length: Iterations.
        adapts: Whether the step size adapts.
        corrects: Whether the metric is corrected afterwards.
        arrives: Whether the chains' own curvature may replace it afterwards.
    """

    name: str
    length: int
    adapts: bool = False
    corrects: bool = False
    arrives: bool = False


@dataclass
class Run:
    """A run so far.

    Attributes:
        chains: The compiled chains.
        metric: Standardised coordinates in use.
        state: Where the chains are.
        plan: Stages; the last is the draws.
        at: Number of the stage under way.
        done: Iterations of it that are done.
        traces: What its iterations left behind, block by block.
        n_modes: Separate modes that the chains started from.
        apart: How far their log densities are apart.
        restarts: Chains moved out of a bad region.
        notes: What the user should know.
        seconds: Wall time by phase.
        n_saved: Blocks of traces that are in the checkpoint.
    """

    chains: Chains
    metric: Metric
    state: ChainState
    plan: list[Stage]
    at: int = 0
    done: int = 0
    traces: list[Trace] = field(default_factory=list)
    n_modes: int = 1
    apart: float = 0.0
    restarts: int = 0
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    n_saved: int = 0

    @classmethod
    def begin(cls, chains: Chains, beginning: Beginning) -> "Run":
        """A run at its first iteration."""
        *windows, last = beginning.windows
        arrives = beginning.arrives and len(windows) > 1
        corrects = beginning.corrects
        plan = [
            Stage(f"window {number}", length, adapts=True, corrects=corrects)
            for number, length in enumerate(windows)
        ]
        if arrives:
            plan[0] = plan[0]._replace(corrects=False, arrives=True)
        plan.append(Stage(f"window {len(windows)}", last, adapts=True))
        plan.append(Stage("draws", chains.settings.draws))
        state = first_state(chains, beginning.z, beginning.metric)
        return cls(
            chains,
            beginning.metric,
            state,
            plan,
            n_modes=beginning.n_modes,
            apart=beginning.apart,
            notes=beginning.notes,
        )

    @property
    def stage(self) -> Stage:
        """The stage under way."""
        return self.plan[self.at]

    @property
    def phase(self) -> str:
        """`warmup` or `draws`."""
        return "draws" if self.stage.name == "draws" else "warmup"

    @property
    def is_done(self) -> bool:
        """Whether every draw is made."""
        return self.phase == "draws" and self.done >= self.stage.length

    @property
    def n_done(self) -> int:
        """Iterations done, of all stages."""
        return sum(stage.length for stage in self.plan[: self.at]) + self.done

    @property
    def n_total(self) -> int:
        """Iterations of all stages."""
        return sum(stage.length for stage in self.plan)

    @property
    def trace(self) -> Trace:
        """What the iterations of this stage left behind."""
        return Trace(
            *[np.concatenate(leaves, 1) for leaves in zip(*self.traces, strict=True)]
        )

    def advance(self, n_iterations: int) -> int:
        """Do some iterations of this stage, at most a block; returns how many."""
        stage = self.stage
        n = min(n_iterations, BLOCK, stage.length - self.done)
        counts = np.full(self.chains.settings.chains, n)
        self.state, trace = self.chains.advance(
            self.state,
            self.metric,
            stage.name,
            self.done,
            counts,
            adapts=stage.adapts,
        )
        self.traces.append(trace)
        self.done += n
        if self.done >= stage.length and stage.name != "draws":
            self._finish_stage()
        return n

    def _finish_stage(self) -> None:
        stage, trace = self.stage, self.trace
        if stage.arrives:
            self._arrive(trace)
        elif stage.corrects:
            self._correct_metric(trace)
        elif self.plan[self.at + 1].name == "draws":
            self._make_ready(trace)
        self.at, self.done, self.traces, self.n_saved = self.at + 1, 0, [], 0

    def _arrive(self, trace: Trace) -> None:
        """Arrive again in the chains' own metric, until it fits them."""
        is_lost = astray(trace, apart=self.apart)
        others = Trace(*[leaf[~is_lost] for leaf in trace])
        metric = arrived(self.chains, self.metric, others, n_modes=self.n_modes)
        if metric is self.metric:
            return
        z = moved(self.state.z.astype(float), self.metric, metric)
        if is_lost.any():
            z = z[_sources(is_lost)]
            self.restarts += int(is_lost.sum())
            self.notes += (_restarted(is_lost),)
        self.metric, self.state = metric, first_state(self.chains, z, metric)
        later = slice(self.at + 1, -2)
        self.plan[later] = [stage._replace(corrects=True) for stage in self.plan[later]]
        n = sum(stage.arrives for stage in self.plan)
        if n < MOST_ARRIVALS:
            self.plan.insert(self.at + 1, self.stage._replace(name=f"arrival {n}"))

    def _correct_metric(self, trace: Trace) -> None:
        metric = corrected(self.metric, trace)
        z = moved(self.state.z.astype(float), self.metric, metric)
        self.metric = metric
        self.state = placed(self.chains, z, metric, self.state.step.log_mean)

    def _make_ready(self, trace: Trace) -> None:
        """Fix the step sizes; move stuck chains to where another is."""
        step = self.state.step
        if self.stage.adapts:
            self.state = self.state._replace(step=step._replace(log=step.log_mean))
        is_stuck = stuck(trace, n_modes=self.n_modes)
        if is_stuck.all():
            raise SamplingError(
                "No chain can move: every trajectory diverged or was rejected.",
                hint="Look for extreme values in the data and for priors that are "
                "very wide or exclude each other; with float32, try float64.",
            )
        n_rounds = sum(stage.name.startswith("restart") for stage in self.plan)
        if not is_stuck.any():
            return
        if n_rounds == _MOST_RESTARTS:
            self.notes += (
                say(
                    "{chains} stayed stuck after {tries} tries.",
                    chains=_named(is_stuck),
                    tries=n_rounds,
                ),
            )
            return
        self.notes += (_restarted(is_stuck),)
        self.restarts += int(is_stuck.sum())
        self.state = _taken(self.state, _sources(is_stuck))
        self.plan.insert(self.at + 1, Stage(f"restart {n_rounds}", _RESTART_LENGTH))

    def rows(self) -> dict[str, np.ndarray]:
        """Rows of this stage that were not asked for yet, by name."""
        new, self.n_saved = self.traces[self.n_saved :], len(self.traces)
        if not new:
            return {}
        leaves = [np.concatenate(parts, 1) for parts in zip(*new, strict=True)]
        return dict(zip(Trace._fields, leaves, strict=True))

    def about(self) -> Standing:
        """How far the run is, which `restored` needs."""
        return Standing(
            stage=int(self.at),
            done=int(self.done),
            plan=tuple(map(tuple, self.plan)),
            n_modes=int(self.n_modes),
            apart=float(self.apart),
            restarts=int(self.restarts),
            notes=tuple(self.notes),
            seconds=self.seconds,
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """Arrays that `restored` needs."""
        state, step = self.state._asdict(), self.state.step._asdict()
        del state["step"]
        return state | step | self.metric._asdict()

    @classmethod
    def restored(
        cls,
        chains: Chains,
        about: Standing,
        arrays: dict[str, np.ndarray],
        rows: dict[str, np.ndarray],
    ) -> "Run":
        """The run that was saved; more draws are made where more are asked for."""

        def pick(kind):
            return kind(*[arrays[name] for name in kind._fields if name in arrays])

        step = pick(StepSize)
        state = ChainState(arrays["z"], arrays["log_density"], arrays["gradient"], step)
        plan = [Stage(*stage) for stage in about.plan]
        plan[-1] = plan[-1]._replace(length=chains.settings.draws)
        traces = [Trace(**rows)] if rows else []
        return cls(
            chains,
            pick(Metric),
            state,
            plan,
            at=about.stage,
            done=about.done,
            traces=traces,
            n_modes=about.n_modes,
            apart=about.apart,
            restarts=about.restarts,
            notes=about.notes,
            seconds=about.seconds,
            n_saved=len(traces),
        )


def _named(is_chosen: np.ndarray) -> str:
    """`Chain 2`, `Chains 1 and 3`: as the user counts them."""
    numbers = [str(chain + 1) for chain in np.flatnonzero(is_chosen)]
    return f"Chain{'s' * (len(numbers) > 1)} {' and '.join(numbers)}"


def _restarted(is_stuck: np.ndarray) -> str:
    return say(
        "{chains} got stuck in a region of very low density in "
        "warm-up and restarted from where another chain was.",
        chains=_named(is_stuck),
    )


def _sources(is_stuck: np.ndarray) -> np.ndarray:
    """From where each chain goes on: stuck ones from the others in turn."""
    healthy = np.flatnonzero(~is_stuck)
    source = np.arange(len(is_stuck))
    source[is_stuck] = healthy[np.arange(is_stuck.sum()) % len(healthy)]
    return source


def _taken(state: ChainState, source: np.ndarray) -> ChainState:
    """The state with each chain where chain `source` of it is."""
    step = StepSize(*[leaf[source] for leaf in state.step])
    return ChainState(*[leaf[source] for leaf in state[:-1]], step)
