"""Hints are checked in tests: of arguments and results, with shapes and without."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
import pytest
from beartype import beartype
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import Float, TypeCheckError

from core.model.media.saturation import hill
from core.text.sentences import listed
from tests.checked_types import checked

WRONG = (BeartypeCallHintViolation, TypeCheckError)


@checked(typechecker=beartype)
def half(amount: float) -> float:
    return amount / 2 if amount else "nothing"


@checked(typechecker=beartype)
def total(a: Float[np.ndarray, " n"], b: Float[np.ndarray, " n"]) -> float:
    return float(a.sum() + b.sum())


@checked(typechecker=beartype)
@dataclass(frozen=True)
class Span:
    first: int


class Ruler:
    @checked(typechecker=beartype)
    @classmethod
    def marks(cls, n: int) -> list[int]:
        return list(range(n))


def test_arguments_and_results_are_checked():
    assert half(4.0) == 2.0
    with pytest.raises(WRONG):
        half("4")
    with pytest.raises(WRONG):
        half(0.0)


def test_shapes_are_checked():
    assert total(np.ones(2), np.ones(2)) == 4
    with pytest.raises(WRONG):
        total(np.ones(2), np.ones(3))


def test_fields_and_class_methods_are_checked():
    assert Span(1).first == 1 and Ruler.marks(2) == [0, 1]
    with pytest.raises(WRONG):
        Span("1")
    with pytest.raises(WRONG):
        Ruler.marks("2")


def test_core_is_checked():
    with pytest.raises(WRONG):
        listed(3)
    with pytest.raises(WRONG):
        hill(jnp.ones((2, 1, 3)), jnp.ones(3), jnp.ones(2))


def scale(factor: float, kind: type = float):
    @checked(typechecker=beartype)
    def scaled(amount: kind, *, plus: kind = factor) -> kind:
        return "nothing" if amount == 0 else amount * factor + plus

    return scaled


def test_functions_within_functions_are_checked_each_time():
    """With the hints, the closure and the defaults of their own."""
    for factor in (2.0, 3.0, 4.0):
        made = scale(factor)
        assert made(1.0) == 2 * factor and made(1.0, plus=0.0) == factor
        assert made.__wrapped__.__closure__ and made.__name__ == "scaled"
        for wrong in ("1", 0.0):
            with pytest.raises(WRONG):
                made(wrong)
        with pytest.raises(WRONG):
            made(1.0, plus="much")
    whole = scale(2, int)
    assert whole(3, plus=0) == 6
    with pytest.raises(WRONG):
        whole(3.0)
    assert scale(5.0)(1.0) == 10


def test_what_checks_a_function_within_is_made_once():
    made = []

    def counted(function):
        made.append(function)
        return beartype(function)

    def inner():
        @checked(typechecker=counted)
        def same(amount: float) -> float:
            return amount

        return same

    first, second = inner(), inner()
    assert len(made) == 1 and first is not second
    with pytest.raises(WRONG):
        second("1")
