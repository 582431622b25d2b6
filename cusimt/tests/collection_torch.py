"""Builds collection/torch_styled.cu as torch does, and compares its operators with torch's own on the CPU.

Run by test_collection.py: `python -m cusimt collection_torch.py`, whose exit status says whether the
values are right and, in a checked build, whether there was nothing to report.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import torch
from torch.testing import assert_close
from torch.utils.cpp_extension import load

from cusimt.compiler import libraries

SOURCE = Path(__file__).parent / "collection" / "torch_styled.cu"
SCHEDULES = ((0, 0), (1, 0), (2, 7))


def gates() -> None:
    for dtype in (torch.float32, torch.float64):
        values = torch.randn(5, 3, 71, dtype=dtype)
        old = torch.randn(71, 5, dtype=dtype).T  # not contiguous: accessors know strides
        new_cell = old + values[:, 2].tanh() * values[:, 0].sigmoid()
        new_h = new_cell.tanh() * values[:, 1].sigmoid()
        results = torch.ops.collection.cell_forward(values.cuda(), old.cuda())
        assert_close(tuple(result.cpu() for result in results), (new_h, new_cell))


def softmax() -> None:
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        values = torch.randn(3, 4, 77).to(dtype)
        assert_close(torch.ops.collection.softmax(values.cuda(), False).cpu(), values.softmax(-1))
        assert_close(torch.ops.collection.softmax(values.cuda(), True).cpu(), values.log_softmax(-1))


def rows() -> None:
    for dtype in (torch.float32, torch.int64, torch.uint8, torch.float16):
        table = torch.randint(0, 100, (9, 13)).to(dtype)
        for index in (torch.randint(0, 9, (21,)), torch.randint(0, 9, (1,), dtype=torch.int32)):
            gathered = torch.ops.collection.gather_rows(table.cuda(), index.cuda()).cpu()
            assert torch.equal(gathered, table[index.long()])


def segments() -> None:
    values, segment = torch.randint(-9, 9, (101,)).float(), torch.randint(0, 6, (101,))
    expected = torch.zeros(7).index_add(0, segment, values)
    assert torch.equal(torch.ops.collection.segment_sum(values.cuda(), segment.cuda(), 7).cpu(), expected)


def main() -> None:
    load("collection", [str(SOURCE)], is_python_module=False)
    runtime = ctypes.CDLL(str(libraries.runtime_library()))
    torch.manual_seed(0)
    for order, seed in SCHEDULES:
        runtime.simt_set_schedule(order, ctypes.c_uint64(seed))
        for compare in (gates, softmax, rows, segments):
            compare()
            torch.cuda.synchronize()
    print("the same")


if __name__ == "__main__":
    main()
