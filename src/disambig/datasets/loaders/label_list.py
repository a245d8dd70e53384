"""The names of the labels, from the XML file beside a MULAN data file."""

from pathlib import Path
from xml.parsers import expat

from disambig.exceptions import DatasetError

__all__ = ["read_label_list"]


def read_label_list(path: Path) -> tuple[str, ...]:
    """``<label name="...">`` elements in the order of the file, those inside others included.

    A document type is refused: label lists have none, and its entities can be made to grow beyond
    any memory.
    """
    names: list[str] = []

    def on_element(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] == "label":
            if "name" not in attributes:
                raise DatasetError(f"{path}: a label has no name.")
            names.append(attributes["name"])

    def on_document_type(*_: object) -> None:
        raise DatasetError(f"{path}: holds a document type, which label lists have no use for.")

    parser = expat.ParserCreate()
    parser.StartElementHandler = on_element
    parser.StartDoctypeDeclHandler = on_document_type
    try:
        parser.Parse(path.read_bytes(), True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise DatasetError(f"{path}: not a list of labels in XML ({error}).") from error
    if not names:
        raise DatasetError(f"{path}: names no label. Expected elements <label name='...'>.")
    return tuple(names)
