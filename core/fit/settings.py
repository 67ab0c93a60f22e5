"""Sampler settings: how long, how exact, on what. Free of JAX."""

from dataclasses import dataclass
from typing import Literal

from core.errors import SpecError

Precision = Literal["float32", "float64"]
Device = Literal["auto", "cpu", "gpu", "tpu"]


@dataclass(frozen=True)
class SamplerSettings:
    """Settings of one fit.

    Attributes:
        chains: Independent chains.
        warmup: Iterations per chain that adapt the sampler and are thrown away.
        draws: Draws kept per chain.
        seed: Seed of every random number of the run.
        precision: Floating point type.
        device: Where to compute; `auto` takes an accelerator where there is one. The
            CPU by default: on a national market it is faster than a large GPU.
        target_accept: Acceptance rate that the step size aims at.
        max_tree_depth: At most 2**max_tree_depth leapfrog steps per draw.
    """

    chains: int = 4
    warmup: int = 500
    draws: int = 1000
    seed: int = 1
    precision: Precision = "float32"
    device: Device = "cpu"
    target_accept: float = 0.9
    max_tree_depth: int = 10

    def __post_init__(self) -> None:
        """Refuse settings that cannot be run.

        Raises:
            SpecError: A number is out of range.
        """
        limits = {
            "chains": (1, 64),
            "warmup": (50, 100_000),
            "draws": (10, 100_000),
            "seed": (0, 2**31 - 1),
            "target_accept": (0.5, 0.999),
            "max_tree_depth": (3, 15),
        }
        for name, (low, high) in limits.items():
            if not low <= getattr(self, name) <= high:
                raise SpecError(
                    f"{name} must be between {low} and {high}, "
                    f"not {getattr(self, name)}.",
                    where=f"sampler.{name}",
                )
        if self.precision not in ("float32", "float64"):
            raise SpecError(
                f"precision must be float32 or float64, not {self.precision}.",
                where="sampler.precision",
            )
        if self.device not in ("auto", "cpu", "gpu", "tpu"):
            raise SpecError(
                f"device must be auto, cpu, gpu or tpu, not {self.device}.",
                where="sampler.device",
            )
