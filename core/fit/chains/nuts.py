"""NUTS: BlackJAX's kernel, and nothing else of BlackJAX.

Before a module of a package Python runs the package itself, and BlackJAX's loads every
sampler that it has, and Optax with them: 240 modules, a tenth of the time that a worker
takes to start. So empty packages stand in for BlackJAX's two while the kernel's own
modules are loaded. Whoever imports BlackJAX later gets all of it, loaded a second time.
"""

import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType

_PACKAGES = ("blackjax", "blackjax.mcmc")


@contextlib.contextmanager
def _unopened(names: tuple[str, ...]) -> Iterator[None]:
    """Modules of packages are loaded without what the packages load themselves.

    Args:
        names: The packages, outer ones first; nothing is done where one is loaded.
    """
    if any(name in sys.modules for name in names):
        yield
        return
    try:
        for name in names:
            spec = importlib.util.find_spec(name)
            if spec is None:  # the import says so
                break
            package = sys.modules[name] = ModuleType(name)
            package.__path__ = list(spec.submodule_search_locations or ())
        yield
    finally:
        outermost = names[0]
        for name in list(sys.modules):
            if name == outermost or name.startswith(f"{outermost}."):
                del sys.modules[name]


with _unopened(_PACKAGES):
    from blackjax.mcmc.hmc import HMCState
    from blackjax.mcmc.nuts import NUTSInfo, build_kernel

__all__ = ["HMCState", "NUTSInfo", "build_kernel"]
