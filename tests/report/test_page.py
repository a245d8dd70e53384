"""The page: one file, escaped, readable without scripts, with text for every picture."""

import base64
import hashlib
import html
import re
from itertools import pairwise

import pytest

from disambig.report import svg
from disambig.report.texts import clean_text
from tests.report.models import HOSTILE, KINDS, fitted, hostile_report, reported, searched
from tests.report.page_parts import PageParts, is_shown

LOADING = ("src", "srcset", "poster", "data", "action", "background")


def page(model, **options):
    return PageParts(model.report(**options).html)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_loaded_from_elsewhere(kind):
    text = reported(kind).html
    parts = PageParts(text)
    for element in parts.elements:
        for name, value in element.attributes.items():
            if name in LOADING or (name in ("href", "xlink:href")):
                assert value.startswith(("#", "data:")), (element.tag, name, value)
    assert {one.attributes["rel"] for one in parts.of("link")} == {"icon"}
    style = "".join(one.text for one in parts.of("style"))
    assert "@import" not in style
    assert all(url.startswith("data:") for url in re.findall(r"url\([\"']?([^)\"']+)", style))
    policy = next(
        one.attributes["content"]
        for one in parts.of("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy


def test_the_only_script_is_the_one_that_the_policy_allows():
    text = searched().report().html
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src &#39;sha256-{digest}&#39;" in text or f"'sha256-{digest}'" in text
    assert not re.search(r"<[^>]+ on[a-z]+=", text.partition("</style>")[2].partition("<script")[0])


@pytest.mark.parametrize("kind", KINDS)
def test_rows_stand_in_the_html(kind):
    report = reported(kind)
    parts = PageParts(report.html)
    tables = [table for section in report.document.sections for table in section.tables]
    cells = iter(parts.of("td"))
    for table in tables:
        for row in table.rows:
            for value in row:
                assert is_shown(next(cells).text, value)
    assert next(cells, None) is None
    assert [one.attributes["id"] for one in parts.of("table")] == [table.id for table in tables]


@pytest.mark.parametrize("kind", KINDS)
def test_figures_have_texts_and_distinct_ids(kind):
    report = reported(kind)
    parts = PageParts(report.html)
    figures = [one for section in report.document.sections for one in section.figures]
    drawn = parts.of("svg")
    assert len(drawn) == len(figures) >= 5
    for element, figure in zip(drawn, figures, strict=True):
        assert element.attributes["role"] == "img"
        assert element.attributes["aria-label"] == f"{figure.title}. {figure.text}"
        assert len(figure.text) > 30
    ids = [one.attributes["id"] for one in parts.elements if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    used = re.findall(r'(?:href="#|url\(#)([^")]+)', report.html.partition("<body>")[2])
    assert set(used) <= set(ids)
    for element in parts.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(element.attributes.get(name, "").split()) <= set(ids)


def test_headings_and_landmarks():
    parts = page(searched())
    assert [len(parts.of(tag)) for tag in ("h1", "main", "header", "nav", "footer")] == [1] * 5
    levels = [int(one.tag[1]) for one in parts.elements if re.fullmatch("h[1-6]", one.tag)]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    assert parts.of("html")[0].attributes["lang"] == "en"
    assert all(one.attributes["scope"] == "col" for one in parts.of("th"))


def test_hostile_texts_are_shown_as_texts():
    report = hostile_report()
    parts = PageParts(report.html)
    shown = parts.visible_text()
    for text in HOSTILE:
        assert clean_text(text, 60) in shown or clean_text(text) in shown, text[:40]
    for name in ("<img src=x onerror=alert(1)>", "<b>id</b>"):
        assert name in shown
    assert not parts.of("img")
    assert not parts.of("b")
    assert not parts.of("template")
    assert len(parts.of("script")) == 1
    body = report.html.partition("</style>")[2].partition('<script type="module">')[0]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", body)
    assert "x" * 700 not in body
    assert "\u202e" not in body


def test_names_in_pictures_are_no_formulas():
    report = hostile_report()
    drawn = "".join(re.findall(r"<svg.*?</svg>", report.html, re.DOTALL))
    labels = [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", drawn)]
    assert "$$x^2$$ {{7*7}}" in labels
    assert "49" not in drawn[drawn.find("{{") : drawn.find("}}") + 2]


def test_points_of_the_map_have_the_rows():
    model = fitted("labels")
    titles = [
        one.text for one in page(model).elements if one.tag == "title" and "svg" in one.parents
    ]
    assert len(titles) == len(model.table)
    labels = model.labels["label"].to_numpy()
    found = {}
    for text in titles:
        lines = dict(line.partition(": ")[::2] for line in text.split("\n"))
        found[lines["key"]] = lines["label"].partition(" ")[0]
    assert found == {f"k{row}": labels[row] for row in range(len(labels))}
    assert not [
        one
        for one in page(model, rows=False).elements
        if one.tag == "title" and "svg" in one.parents
    ]


def test_a_page_without_pictures_has_their_texts(monkeypatch):
    monkeypatch.setattr("disambig.report.page.can_draw", lambda: False)
    report = fitted("labels").report()
    parts = PageParts(report.html)
    assert not parts.of("svg")
    shown = parts.visible_text()
    for section in report.document.sections:
        for figure in section.figures:
            assert figure.text in shown
    assert "Pictures need matplotlib" in shown


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setattr("disambig.report.page.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r'jinja2 and itables.*pip install "disambig\[report\]"'):
        _ = fitted("numbers").report(rows=False).html


def test_a_bundle_that_cannot_be_used_is_refused(monkeypatch, tmp_path):
    from disambig.report import bundle

    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "dt_bundle.css").write_text("a{}")
    (folder / "dt_bundle.js").write_text("const a=1;")
    monkeypatch.setattr(bundle, "_package_folder", lambda: tmp_path)
    with pytest.raises(ImportError, match="version of itables"):
        bundle.table_library.__wrapped__()
    (folder / "dt_bundle.js").write_text("const a=1;export{b as other,a as default};")
    assert bundle.table_library.__wrapped__().script == "const a=1;const DataTable=a;"


def test_pictures_follow_the_colours_of_the_page():
    figure = reported("labels").document.sections[0].figures[0]
    drawn = svg.figure_svg(figure)
    assert "var(--ink)" in drawn
    assert "#1a2b3c" not in drawn
    assert "<metadata>" not in drawn
    assert drawn == svg.figure_svg(figure)


def test_files_are_written_whole(tmp_path):
    model = fitted("labels")
    path = tmp_path / "report.html"
    report = model.report(path)
    assert path.read_text("utf-8") == report.html
    with pytest.raises(OSError, match="nothing"):
        report.to_html(tmp_path / "nothing" / "report.html")
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_in_a_notebook_the_answers_are_shown_escaped():
    text = hostile_report()._repr_html_()
    assert "Which classes are confused?" in text
    assert "<script" not in text
    assert "&lt;/template&gt;" in text


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_page_is_small(kind):
    assert len(reported(kind).html.encode()) < 5_000_000


def test_rows_are_counted_by_what_was_given():
    """With the truth beside them, and without."""
    for truth in (True, False):
        sections = reported("labels", truth=truth).document.sections
        given = next(one for one in sections if one.id == "given")
        table = next(one for one in given.tables if one.id == "by-origin")
        origins = fitted("labels").table.candidates.origins
        counts = {row[0]: row[1] for row in table.rows}
        assert counts == {name: int((origins == name).sum()) for name in counts}
        assert sum(counts.values()) == len(origins)
        confidence = fitted("labels").labels.groupby("origin")["confidence"].mean()
        for row in table.rows:
            assert abs(row[3] - confidence[row[0]]) < 1e-3
        assert len(table.columns) == (5 if truth else 4)
