"""The report: one HTML page, or JSON, about a table, its recovered labels and how they were found.

It needs jinja2 and itables (the extra ``report``), which are imported when a page is made.
"""

from disambig.report.fit_report import FitReport

__all__ = ["FitReport"]
