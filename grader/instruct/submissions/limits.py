"""Limits on the size of one submission."""

from __future__ import annotations

KIB, MIB = 1 << 10, 1 << 20

FILE_BYTES = 512 * KIB  # of one source file; the largest file of the course has a twentieth of it
SUBMISSION_BYTES = 2 * MIB  # of all files of one submission
NOTEBOOK_BYTES = 8 * MIB  # a notebook carries its outputs, pictures among them


def in_words(size: int) -> str:
    """``size`` bytes as a reader would say it."""
    if size < KIB:
        return f"{size} bytes"
    return f"{size / KIB:.0f} KiB" if size < MIB else f"{size / MIB:.1f} MiB"
