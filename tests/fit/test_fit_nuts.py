"""BlackJAX's kernel is loaded without the rest of BlackJAX, which stays whole."""

import subprocess
import sys


def _printed(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_kernel_loads_no_other_sampler():
    code = (
        "import sys, core.fit.chains.kernel\n"
        "print('optax' in sys.modules or 'scipy.fft' in sys.modules)\n"
        "print([name for name in sys.modules if name.startswith('blackjax')])"
    )
    assert _printed(code) == ["False", "[]"]


def test_blackjax_is_whole_for_whoever_imports_it_later():
    code = (
        "import core.fit.chains.kernel\n"
        "import blackjax, blackjax.mcmc.trajectory\n"
        "from blackjax.adaptation.laps import laps\n"
        "print(callable(laps), callable(blackjax.nuts.build_kernel))\n"
        "print(hasattr(blackjax.mcmc, 'trajectory'))"
    )
    assert _printed(code) == ["True", "True", "True"]


def test_blackjax_that_is_there_already_is_used():
    code = (
        "import blackjax.mcmc.nuts, core.fit.chains.kernel\n"
        "ours = core.fit.chains.kernel.build_kernel\n"
        "print(ours is blackjax.mcmc.nuts.build_kernel)"
    )
    assert _printed(code) == ["True"]
