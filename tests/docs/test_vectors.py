"""What the table and the picture of lesson 12 count."""

from __future__ import annotations

import vector_pictures


def test_chunks_quarter_the_requests_and_leave_the_sectors() -> None:
    """512 bytes: by floats, by float4, and by float4 that the lanes take two at a time."""
    assert [vector_pictures.moved(way) for way in vector_pictures.WAYS] == [(4, 16), (1, 16), (2, 32)]


def test_the_table_is_what_follows_from_the_sizes() -> None:
    """40,003 floats fill 1251 warps, or 10,000 chunks and 3 more; 40,005 halves 5,000 chunks and 5 more."""
    rows = [row.split(" | ") for row in vector_pictures.table().splitlines()[2:]]
    counts = {
        row[0].strip("| "): [int(cell.strip("| ").replace(",", "")) for cell in row[1:]] for row in rows
    }

    assert counts["one element per thread"] == [2 * 1251, 1251, 3 * 5001, 2 * 1251, 1251, 3 * 2501]
    assert counts["eight elements per thread, one by one"] == counts["one element per thread"]
    assert counts["the solution"] == counts["one chunk per thread"]
    assert counts["the solution"] == [2 * 314, 314, 3 * 5001, 2 * 158, 158, 3 * 2501]
    # Each lane touches a sector of its own, so a sector comes once for each of its two chunks.
    assert counts["four chunks per thread, side by side"][2] == 3 * (10_000 + 1)
    assert counts["four chunks per thread, side by side"][5] == 3 * (5_000 + 1)
