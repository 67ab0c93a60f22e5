import pytest

from core.errors import WorkspaceError
from core.project.fits.previews import clear_preview, read_preview, write_preview
from core.project.fits.run_inputs import new_run
from core.store.results import write_result

CONTENT = {"channels": [{"name": "TV"}], "k_hat": 0.4}


def test_a_preview_is_read_until_there_is_a_result(market):
    run = new_run(market)
    assert read_preview(run) is None
    with write_preview(run, CONTENT) as folder:
        (folder / "curves.nc").write_bytes(b"curves")
    preview = read_preview(run)
    assert preview is not None and preview.is_preview
    assert ([each.name for each in preview.channels], preview.k_hat) == (["TV"], 0.4)
    assert (run / "preview/curves.nc").exists()
    with write_result(run) as folder:
        (folder / "fit.json").write_text("{}")
    assert read_preview(run) is None
    clear_preview(run)
    assert not (run / "preview").exists()
    clear_preview(run)


def test_half_a_preview_is_none(market):
    run = new_run(market)
    with pytest.raises(ZeroDivisionError), write_preview(run, CONTENT):
        raise ZeroDivisionError
    assert read_preview(run) is None
    assert not list(run.glob("preview*"))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"channels": 3'])
def test_a_damaged_preview_is_none(market, text):
    run = new_run(market)
    with write_preview(run, CONTENT):
        pass
    (run / "preview/preview.json").write_text(text)
    assert read_preview(run) is None


def test_a_place_that_cannot_be_written(market):
    run = new_run(market)
    (run / "preview.tmp").write_text("in the way")
    with pytest.raises(WorkspaceError), write_preview(run, CONTENT):
        pass
