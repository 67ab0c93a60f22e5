"""Work aside is done as the thread that asks for it would do it."""

import threading

import jax
import jax.numpy as jnp
import pytest

from core.jobs.tasks.meanwhile import aside
from core.text.languages.language import language, spoken_in


def test_it_has_the_language_and_the_precision_of_who_asks():
    def seen() -> tuple[str, str, bool]:
        is_elsewhere = threading.current_thread() is not threading.main_thread()
        return language(), str(jnp.zeros(1).dtype), is_elsewhere

    for is_double, dtype in ((True, "float64"), (False, "float32")):
        with spoken_in("de"), jax.enable_x64(is_double), aside() as do:
            assert do(seen).task.result(300) == ("de", dtype, True)


def test_what_goes_wrong_is_told_to_who_asks():
    with aside() as do:
        failing = do(lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            failing.result()


def test_what_is_not_begun_when_it_is_asked_for_is_done_by_who_asks():
    may_end = threading.Event()
    with aside() as do:
        first, second = do(may_end.wait, 300), do(threading.current_thread)
        assert second.result() is threading.current_thread()
        may_end.set()
        assert first.result()


def test_what_is_not_begun_when_the_rest_fails_is_left_out():
    begun, may_end, done = threading.Event(), threading.Event(), []

    def first() -> None:
        begun.set()
        may_end.wait(300)
        done.append("first")

    with pytest.raises(KeyError), aside() as do:
        do(first)
        # A future that is left out is done, too: the first ends no sooner.
        second = do(done.append, "second")
        second.task.add_done_callback(lambda _: may_end.set())
        assert begun.wait(300)
        raise KeyError
    assert done == ["first"]
