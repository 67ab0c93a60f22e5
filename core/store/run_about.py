"""What a run is: the record of its run.json. Standard library only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from core.store.stored import lenient, read_object

#: The file, in the folder of a run.
RUN_FILE = "run.json"


@dataclass(frozen=True)
class RunSampler:
    """Settings of a run's sampler; None where run.json does not say.

    What each means says `core.fit.settings.SamplerSettings`.
    """

    chains: int | None = None
    warmup: int | None = None
    draws: int | None = None
    seed: int | None = None
    precision: str | None = None
    device: str | None = None
    target_accept: float | None = None
    max_tree_depth: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether run.json says anything of them."""
        return self != RunSampler()

    @property
    def iterations(self) -> float:
        """Of all chains; zero where they are not known."""
        if None in (self.chains, self.warmup, self.draws):
            return 0.0
        return float(self.chains * (self.warmup + self.draws))

    def as_dict(self) -> dict[str, Any]:
        """What is known of them."""
        return {name: each for name, each in vars(self).items() if each is not None}


@dataclass(frozen=True)
class RunAbout:
    """What run.json says of a run; empty where it does not.

    Attributes:
        run_id: The run.
        kind: `fit`, `prior`, ...
        number: Its place among the runs of the project.
        project: Its name when the run was made.
        by: Who made it.
        created: When, ISO UTC.
        continues: The fit whose draws it begins with.
        seed: Of its random numbers.
        sampler: Settings of its sampler.
        versions: What it was made with.
        data_sha256: Hash of its data.
        spec_sha256: Hash of what decides its estimates, but the sampler.
        options: What else it was told.
    """

    run_id: str = ""
    kind: str = ""
    number: int = 0
    project: str = ""
    by: str = ""
    created: str = ""
    continues: str = ""
    seed: int | None = None
    sampler: RunSampler = RunSampler()
    versions: dict[str, Any] = field(default_factory=dict)
    data_sha256: str = ""
    spec_sha256: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_fit(self) -> bool:
        """Whether it is a fit, which it is where nothing else is said."""
        return self.kind in ("", "fit")

    @property
    def device(self) -> str:
        """What it is to be computed on."""
        return self.sampler.device or "cpu"

    @property
    def moment(self) -> datetime | None:
        """When it was made; None where no time is said."""
        try:
            return datetime.fromisoformat(self.created)
        except ValueError:
            return None

    @property
    def before(self) -> str:
        """The fit that a refresh begins from."""
        return str(self.options.get("before") or "")

    def has_model_of(self, other: "RunAbout") -> bool:
        """Whether both estimate the same, by the same version."""
        mine, theirs = self.spec_sha256, other.spec_sha256
        return (mine, self.versions) == (theirs, other.versions)


def version_in(versions: Mapping[str, Any]) -> str:
    """That of Mixwright among what something was made with; empty where unknown."""
    return str(versions.get("mixwright") or "")


def about_of(content: Mapping[str, Any]) -> RunAbout:
    """The record of what a run.json holds."""
    return lenient(content, RunAbout)


def read_about(run: Path) -> RunAbout:
    """What a run's run.json says; empty where it is missing or damaged."""
    return about_of(read_object(run / RUN_FILE))
