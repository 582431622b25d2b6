"""The instructors' secret: the source of seeds, and of students' pseudonyms in logs."""

from __future__ import annotations

import contextlib
import hmac
import secrets
from functools import cached_property
from pathlib import Path

from grader.instruct.results.key import Key
from grader.support.durable import publish
from grader.support.errors import UsageError

ROSTER, RELEASED = "roster.csv", "released.jsonl"  # beside the secret, with pseudonyms that follow from it
_BYTES = 32
_SEED_BITS = 48
_PSEUDONYM_DIGITS = 12


class Secret:
    """The random bytes in ``RESULTS/secret``, drawn when they are first asked for.

    Raises UsageError where they are damaged, or gone while something is left that was written with them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def seed(self, key: Key) -> int:
        """The seed of all inputs: the same for every grading of `key`, and unpredictable."""
        return int(self._digest(f"seed {key.name}")[: _SEED_BITS // 4], 16)

    def pseudonym(self, student: str) -> str:
        """What ``student`` is called in logs and in the build cache: 12 hex digits."""
        return self._digest(f"student {student}")[:_PSEUDONYM_DIGITS]

    def _digest(self, text: str) -> str:
        return hmac.digest(self._content, text.encode(), "sha256").hex()

    @cached_property
    def _content(self) -> bytes:
        needed = self._needed_by()  # first: whoever writes these has drawn the secret before
        if not self.path.exists():
            if needed:
                raise self._lost(f"{self.path} is missing, and {needed} was written with it.")
            publish(self.path, secrets.token_hex(_BYTES) + "\n")  # unless another process just did
        try:
            content = bytes.fromhex(self.path.read_text(encoding="ascii").strip())
        except ValueError:
            content = b""
        if len(content) != _BYTES:
            raise self._lost(f"{self.path} does not hold {_BYTES} bytes in hex.")
        return content

    def _needed_by(self) -> str:
        """A file beside the secret that without it is about nobody, or ""."""
        for name in (ROSTER, RELEASED):
            with contextlib.suppress(FileNotFoundError):
                if self.path.with_name(name).stat().st_size:
                    return name
        return ""

    def _lost(self, what: str) -> UsageError:
        return UsageError(
            what,
            "Seeds and pseudonyms follow from it; another one would leave released marks unprotected, and "
            "no regrade would be the same.",
            "Restore it from a backup.",
        )
