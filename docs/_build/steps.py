"""The steps of a picture in words, which steps.js turns into a slider."""

from __future__ import annotations

from collections.abc import Iterable


def step_list(label: str, steps: Iterable[str]) -> str:
    """A list of ``steps``, each in HTML; ``label`` is that of the slider."""
    items = "\n".join(f"<li>{step}</li>" for step in steps)
    return f'<ol class="step-list" start="0" data-label="{label}">\n{items}\n</ol>\n'
