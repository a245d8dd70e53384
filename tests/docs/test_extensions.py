"""What the extensions of the site add to pages: links of names, parameters of protocols."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from disambig.candidates import IntervalUnions, LabelSets
from disambig.weights import TreeWeights

pytest.importorskip("sphinx", reason="sphinx is not installed (extra `docs`)")
nodes = pytest.importorskip("docutils.nodes")
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "_extensions"


@pytest.fixture
def extension(monkeypatch):
    def imported(name: str) -> ModuleType:
        monkeypatch.syspath_prepend(str(FOLDER))
        return importlib.import_module(name)

    return imported


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("PartialLabelClassifier", "PartialLabelClassifier"),
        ("NeighborWeights(10, algorithm='approximate')", "NeighborWeights"),
        ("LabelSets.from_strings", "LabelSets.from_strings"),
        ("disambig.trust.cross_examine", "disambig.trust.cross_examine"),
        ("diagnose(X, y)", "diagnose"),
        ("Pipeline", None),
        ("weights='auto'", None),
        ("PartialLabelClassifier.labels_ == truth", None),
        ("disambig.trust.no_such_name", None),
        ("disambig diagnose FILE", None),
    ],
)
def test_public_names_in_sentences_are_linked(extension, code, name):
    assert extension("code_links").linked_name(code) == name


def test_methods_have_the_parameters_of_their_protocol(extension):
    sections = extension("protocol_docs").sections_of_protocols
    assert sections(IntervalUnions, "contains").startswith("Parameters\n----------\nvalues : ")
    assert "\nX : " in sections(TreeWeights, "votes")
    assert sections(LabelSets, "from_strings") == ""


def test_what_a_method_says_itself_is_kept(extension):
    lines = ["One line.", "", "Examples", "--------", ">>> 1", "1"]
    complete = extension("protocol_docs").complete
    complete(None, "method", "disambig.weights.TreeWeights.votes", None, None, lines)
    assert lines[0] == "One line."
    assert lines.index("Parameters") < lines.index("Examples")
    own = ["One line.", "", "Parameters", "----------", "X : its own"]
    complete(None, "method", "disambig.weights.TreeWeights.votes", None, None, own)
    assert len(own) == 5


def test_a_spread_stays_on_the_line_of_its_number(extension):
    entry = nodes.entry("", nodes.paragraph("", "", nodes.Text(".83 ± .01")))
    outside = nodes.paragraph("", "", nodes.Text(".83 ± .01"))
    extension("unbroken_numbers").keep_together(None, nodes.container("", entry, outside))
    assert entry.astext() == ".83\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}.01"
    assert outside.astext() == ".83 ± .01"
