"""The parts of a page, read by Python's own parser."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any


@dataclass
class Element:
    """A tag with its attributes and the text directly inside."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    parents: tuple[str, ...] = ()
    children: list["Element"] = field(default_factory=list)


_EMPTY = {"meta", "link", "br", "img", "input", "hr"}


class PageParts(HTMLParser):
    """All elements of a page in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        parents = tuple(one.tag for one in self._open)
        found = Element(tag, {name: value or "" for name, value in attrs}, parents=parents)
        self.elements.append(found)
        if self._open:
            self._open[-1].children.append(found)
        if tag not in _EMPTY:
            self._open.append(found)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            if self._open.pop().tag == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1].text += data

    def of(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]

    def visible_text(self) -> str:
        return "\n".join(
            one.text for one in self.elements if one.tag not in {"script", "style", "title"}
        )


def is_shown(text: str, value: Any) -> bool:
    """Whether a cell shows a value: a number by all its digits and without an exponent."""
    if isinstance(value, float):
        return float(text) == value and "e" not in text
    return text == ("" if value is None else str(value))
