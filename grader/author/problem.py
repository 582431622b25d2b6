"""One thing that the author of an exercise still has to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Problem:
    """What is missing or has drifted in ``place``, and the next step."""

    place: Path
    what: str
    next: str
