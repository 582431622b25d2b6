"""Renderings of a verdict: for a terminal (rich), and as plain sentences.

Importing this package imports neither rich nor torch; :mod:`grader.report.terminal` imports rich.
"""

from grader.report.plain import table_text, verdict_text

__all__ = ["table_text", "verdict_text"]
