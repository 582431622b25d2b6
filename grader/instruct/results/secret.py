"""What only the instructors know: where seeds come from, and what students are called in logs."""

from __future__ import annotations

import hmac
import secrets
from functools import cached_property
from pathlib import Path

from grader.errors import UsageError
from grader.instruct.results.durable import publish
from grader.instruct.results.key import Key

_BYTES = 32
_SEED_BITS = 48
_PSEUDONYM_DIGITS = 12


class Secret:
    """The random bytes in ``RESULTS/secret``, which are drawn when they are first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def seed(self, key: Key) -> int:
        """The seed of all inputs: the same for every grading of ``key``, and nobody can know it before."""
        return int(self._digest(f"seed {key.name}")[: _SEED_BITS // 4], 16)

    def pseudonym(self, student: str) -> str:
        """What ``student`` is called in logs and in the build cache: 12 hex digits."""
        return self._digest(f"student {student}")[:_PSEUDONYM_DIGITS]

    def _digest(self, text: str) -> str:
        return hmac.digest(self._content, text.encode(), "sha256").hex()

    @cached_property
    def _content(self) -> bytes:
        if not self.path.exists():
            publish(self.path, secrets.token_hex(_BYTES) + "\n")  # unless somebody did at the same time
        content = bytes.fromhex(self.path.read_text(encoding="ascii").strip())
        if len(content) != _BYTES:
            raise UsageError(
                f"{self.path} does not hold {_BYTES} bytes in hex.",
                "All seeds and pseudonyms follow from it; with another one, a regrade is not the same.",
                "Restore it from a backup.",
            )
        return content
