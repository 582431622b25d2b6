"""Which accesses are explained by an offset that overflowed 32 bits, and which are not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from grader.run.inside.wrapped_offsets import NOTE, explain

ROWS, COLUMNS = 2**31 + 100, 3  # strides


class OnDevice(torch.Tensor):
    """A CPU tensor that says it is on a device."""

    is_cuda = True  # type: ignore[assignment]
    device = SimpleNamespace(index=1)  # type: ignore[assignment]


def far(itemsize_of: torch.dtype = torch.uint8) -> torch.Tensor:
    """(2, 7) with gaps between columns, and its second row beyond offset 2^31; not resident."""
    storage = torch.empty(ROWS + 200, dtype=itemsize_of, device="meta")
    return storage.as_strided((2, 7), (ROWS, COLUMNS), 4).as_subclass(OnDevice)


BASE = 1 << 40


@pytest.fixture(autouse=True)
def somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors that have no memory get an address."""
    monkeypatch.setattr(OnDevice, "data_ptr", lambda self: BASE + self.storage_offset() * self.element_size())
    storage = SimpleNamespace(data_ptr=lambda: BASE, nbytes=lambda: 5000)
    monkeypatch.setattr(OnDevice, "untyped_storage", lambda self: storage)


def seen(address: int, kind: str = "host_pointer", tensor: Any = None) -> dict[str, Any]:
    finding: dict[str, Any] = {"kind": kind, "address": address, "note": "", "allocation": None}
    explain(finding, ["text", 3, torch.zeros(2), far() if tensor is None else tensor])
    return finding


def wrapped(row: int, column: int, itemsize: int = 1) -> int:
    return BASE + itemsize * (4 + row * ROWS + column * COLUMNS - 2**32)


@pytest.mark.parametrize("kind", ["host_pointer", "out_of_bounds", "use_after_free", "uninitialized_read"])
def test_a_wrapped_offset_names_the_element_that_was_meant(kind: str) -> None:
    finding = seen(wrapped(1, 5), kind)
    assert finding["kind"] == "out_of_bounds"
    assert finding["note"] == f"{NOTE}: 2^32 elements below the element at [1, 5]"
    offset = 4 + ROWS + 5 * COLUMNS - 2**32
    assert finding["allocation"] == {"base": BASE, "bytes": 5000, "offset": offset, "device": 1}


def test_elements_of_several_bytes_are_counted_as_elements() -> None:
    assert seen(wrapped(1, 6, 4), tensor=far(torch.float32))["note"].endswith("[1, 6]")
    assert seen(wrapped(1, 6, 4) + 1, tensor=far(torch.float32))["note"] == ""
    assert seen(wrapped(1, 6, 1), tensor=far(torch.float32))["note"] == ""


@pytest.mark.parametrize(
    "address",
    [
        wrapped(1, 5) + 1,  # between two columns
        wrapped(1, 7),  # no such column
        wrapped(0, 3),  # its offset fits into 32 bits
        BASE - 8,
        0,
    ],
)
def test_other_addresses_are_left_alone(address: int) -> None:
    finding = seen(address)
    assert (finding["kind"], finding["note"], finding["allocation"]) == ("host_pointer", "", None)


def test_other_kinds_and_near_tensors_are_left_alone() -> None:
    assert seen(wrapped(1, 5), "misaligned")["note"] == ""
    near = torch.empty(100, device="meta").as_strided((2, 7), (20, 3), 4).as_subclass(OnDevice)
    assert seen(BASE + 4 * (4 + 20 - 2**32), tensor=near)["note"] == ""
    expanded = cast("torch.Tensor", far()).as_strided((2, 7, 3), (ROWS, COLUMNS, 0), 4)
    assert seen(wrapped(1, 2), tensor=expanded.as_subclass(OnDevice))["note"].endswith("[1, 2, 0]")
