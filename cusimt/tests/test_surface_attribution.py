"""What the headers touch for a kernel is reported at the kernel's line, as the access a GPU would make."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cusimt import findings
from cusimt.tests.surface_program import ON_GPU, SOURCES, program


@pytest.mark.skipif(ON_GPU, reason="a GPU has no checked build")
def test_accesses_of_device_functions_carry_the_kernels_line() -> None:
    source = SOURCES / "attribution.cu"
    expected = [
        (number, access, int(size))
        for number, line in enumerate(source.read_text().splitlines(), 1)
        for access, size in re.findall(r"// (read|write|atomic) (\d+)$", line)
    ]
    findings.take()
    attribution = program("attribution", checked=True)
    attribution.past_the_end(*(np.zeros(4, np.float32) for _ in range(4)))
    found = [(each.frame.line, each.access, each.bytes) for each in findings.take()]
    assert found == expected
    assert len(expected) == 8
