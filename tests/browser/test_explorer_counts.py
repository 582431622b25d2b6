"""The CUDA that the explorer shows, compiled and counted on the simulated GPU: the page's numbers again."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cusimt.counters import LineCounts, counting
from cusimt.tests import surface_program
from tests.browser.chromium import Browser
from tests.browser.explorer import Pattern, pattern, shown

TYPES = {1: "uint8_t", 2: "__half", 4: "float", 8: "double", 16: "float4"}
ELEMENTS = 2048  # more than any of the patterns reaches
PATTERNS = (
    pattern(),
    pattern(offset=1),
    pattern(stride=2),
    pattern(stride=0),
    pattern(stride=-3, offset=5, size=8),
    pattern(size=16),
    pattern(size=16, stride=3, lanes=20, step=2),
    pattern(size=2, offset=5),
    pattern(size=1, stride=7),
    pattern(stride=16, access="store", lanes=9),
    pattern(shape="column"),
    pattern(shape="column", padding=1, access="store"),
    pattern(shape="column", width=8, padding=1, size=8),
    pattern(shape="row", width=16, padding=2),
    pattern(shape="swizzled", lanes=31),
)


def test_the_line_that_is_shown_counts_what_the_page_says(
    browser: Browser, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = shown(browser, site, list(PATTERNS))
    monkeypatch.setattr(surface_program, "SOURCES", tmp_path)
    sources = [page["source"] for page in pages]
    # The folder in the source: a library from the cache would speak of a file that is gone.
    (tmp_path / "explorer.cu").write_text(f"// {tmp_path}\n{_program(sources)}")
    for space in ("global", "shared"):
        for number, (chosen, page) in enumerate(zip(PATTERNS, pages, strict=True)):
            line = _counted(f"{space}_{number}", chosen, space, tmp_path, page["source"].splitlines()[-1])
            numbers = page["numbers"]
            assert line.requests == 1 and line.bytes == chosen["size"]
            assert line.lanes == numbers["active"]
            if space == "global":
                assert (line.sectors, line.ideal_sectors) == (numbers["sectors"], numbers["ideal-sectors"])
            else:
                waves = (numbers["wavefronts"], numbers["ideal-wavefronts"], numbers["conflicts"])
                assert (line.wavefronts, line.ideal_wavefronts, line.conflicts) == waves


def _counted(name: str, chosen: Pattern, space: str, folder: Path, statement: str) -> LineCounts:
    memory = [np.zeros(ELEMENTS * chosen["size"], np.uint8) for _ in range(2)]
    with counting((folder,)) as counts:
        surface_program.program("explorer", checked=True).call(name, *memory)
    (launch,) = counts
    (line,) = [
        each
        for each in launch.lines
        if each.frame.source == statement and (each.space, each.access) == (space, chosen["access"])
    ]
    return line


def _program(sources: list[str]) -> str:
    kernels = [
        _kernel(f"{space}_{number}", source, TYPES[chosen["size"]], space)
        for space in ("global", "shared")
        for number, (chosen, source) in enumerate(zip(PATTERNS, sources, strict=True))
    ]
    return "#include <cstdint>\n#include <cuda_fp16.h>\n" + "".join(kernels)


def _kernel(name: str, source: str, kind: str, space: str) -> str:
    """The page's lines in a kernel of one warp, after its memory was filled."""
    shared = space == "shared"
    declarations, _, source = source.partition("\n")
    assert f"{kind} value;" in declarations
    assert ("tile" in source) != (f"{kind}* x;" in declarations)
    if "tile" in source:
        declared = re.search(rf"{kind} tile\[WIDTH\]\[(.+)\];", source)
        assert declared is not None
        pitch = declared[1]
        tile = (
            f"__shared__ {kind} tile[WIDTH][{pitch}]; {kind}* const all = &tile[0][0];"
            if shared
            else f"{kind}(*const tile)[{pitch}] = reinterpret_cast<{kind}(*)[{pitch}]>(memory);"
            f" {kind}* const all = memory;"
        )
        *head, statement = source.replace(declared[0], tile).splitlines()
        count = f"WIDTH * ({pitch})"
    else:
        head = [f"__shared__ {kind} x[{ELEMENTS}];" if shared else f"{kind}* const x = memory;"]
        head.append(f"{kind}* const all = x;")
        statement, count = source, str(ELEMENTS)
    fill = f"for (int i = lane; i < {count}; i += 32) all[i] = value;\n__syncthreads();"
    body = "\n".join(["const int lane = threadIdx.x;", f"{kind} value{{}};", *head, fill, statement])
    return f"""
__global__ void kernel_{name}({kind}* memory, {kind}* result) {{
{body}
result[lane] = value;
}}
extern "C" void {name}({kind}* memory, {kind}* result) {{ kernel_{name}<<<1, 32>>>(memory, result); }}
"""
