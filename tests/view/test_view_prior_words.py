"""What is said of priors that other projects suggest."""

from core.model.priors.pooling.learnt import Learnt
from core.project.learnt.of_fit import Return
from core.project.learnt.sources import Source
from core.view.suggestions import prior_words


def test_a_doubtful_fit_is_said_beside_its_source():
    known = Return("TV", Learnt(0.5, 0.2))
    tested = Return("TV", Learnt(0.5, 0.2), is_tested=True)
    test = Return("TV", Learnt(0.5, 0.2), test="2024-03-04 to 2024-03-31")
    labels = {
        ("trustworthy", known): "Brand: TV",
        ("doubtful", known): "Brand: TV (doubtful fit)",
        ("doubtful", tested): "Brand: TV, with lift test (doubtful fit)",
        ("", test): "Brand: TV, lift test 2024-03-04 to 2024-03-31",
    }
    for (verdict, known), label in labels.items():
        source = Source("Brand", "TV", "booked ahead", known, verdict)
        assert prior_words.label(source) == label
