"""Pages that carry everything with them: figures, words and numbers in one file of HTML."""

from disambig.report.captions import Caption, caption
from disambig.report.page import Picture, Section, html_page
from disambig.report.tables import readings_table

__all__ = ["Caption", "Picture", "Section", "caption", "html_page", "readings_table"]
