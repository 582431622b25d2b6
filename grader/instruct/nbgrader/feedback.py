"""Self-contained feedback pages: no request, no script."""

from __future__ import annotations

import re
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode

from grader.report.html import POLICY

# nbgrader's page loads MathJax, and nbconvert's others, from a content delivery network. What learners wrote
# is escaped when it gets here, so that these tags are the template's own.
_FETCHED = re.compile(
    r"<script\b[^>]*\bsrc=[\"']https?:[^>]*>\s*</script>|<link\b[^>]*\bhref=[\"']https?:[^>]*>", re.IGNORECASE
)


class SelfContainedExporter(HTMLExporter):
    """nbconvert's HTML without scripts and style sheets of other machines, nor any that learners slip in."""

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **options: Any) -> tuple[str, Any]:
        page, resources = super().from_notebook_node(nb, resources, **options)
        return _FETCHED.sub("", page).replace("<head>", f"<head>{POLICY}", 1), resources
