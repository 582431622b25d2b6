"""Refuses submissions that reach for the grader, before and after they are built.

The checks ask the simulated GPU what happened, and that lies in one process with learner code. So a
submission that reaches for the grader is refused: op.py by its syntax tree and the lists of what it may use,
.cu and .cpp by their tokens, the built library by the symbols it imports. It is no security boundary;
only another process or machine is one: docs/reference/trust.md.
"""

from grader.audit.audit import (
    Objection,
    audit_installed,
    audit_library,
    audit_python,
    audit_sources,
    audit_units,
    python_files,
)
from grader.audit.reading import Unreadable, decoded
from grader.audit.setup_source import why_not_compiled_with

__all__ = [
    "Objection",
    "Unreadable",
    "audit_installed",
    "audit_library",
    "audit_python",
    "audit_sources",
    "audit_units",
    "decoded",
    "python_files",
    "why_not_compiled_with",
]
