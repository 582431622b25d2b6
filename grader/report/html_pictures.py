"""Pictures in a verdict: the memory request of a warp that a finding concerns."""

from __future__ import annotations

from cusimt.counters import Sample, Space
from cusimt.counters.pictures import Contents, picture
from cusimt.counters.transactions import Access
from cusimt.support.markup import visible
from grader.verdict import WarpRequest

_ACCESSES: dict[str, Access] = {"load": "load", "store": "store", "atomic": "atomic"}
_SPACES: dict[str, Space] = {"global": "global", "shared": "shared"}
_SIZES = (1, 2, 4, 8, 16)  # bytes that one lane can ask for
_LANES = 32


def request_picture(request: WarpRequest, where: str, identity: str) -> str:
    """The SVG of a request at ``where``, or ``""``; ``identity`` makes its ids unique on a page.

    A verdict may come from a file that somebody wrote, so what cannot be a request is not drawn.
    """
    access, space = _ACCESSES.get(request.access), _SPACES.get(request.space)
    if access is None or space is None or not _is_drawable(request):
        return ""
    sample = Sample(request.addresses, request.bytes, space, None, (0, 0, 0), 0)
    tensor = visible(request.tensor)
    of = f" of {tensor}" if tensor else ""
    what = f"{visible(where)}: {access}s{of}, {space} memory".removeprefix(": ")
    drawn = picture(sample, what, Contents(tensor, request.itemsize), access=access, name=identity)
    return f"<details open><summary>its worst request of a warp</summary>{drawn.render()}</details>"


def _is_drawable(request: WarpRequest) -> bool:
    asked = [address for address in request.addresses if address is not None]
    return (
        len(request.addresses) == _LANES
        and bool(asked)
        and min(asked) >= 0
        and request.bytes in _SIZES
        and request.itemsize >= 0
    )
