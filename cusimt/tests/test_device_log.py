"""What the grader learns from the device: which operators ran, what was copied, who wrote each byte."""

from __future__ import annotations

import pytest

from cusimt.tests.device import extension
from cusimt.tests.device.process import on_device


@pytest.fixture(scope="module")
def library() -> str:
    return extension.library("simt_tests", "scale.cu", "scale.cpp")


def operators() -> list[str]:
    from cusimt.activate import driver

    return [entry["operator"] for entry in driver().take_operators()]


def writers(tensor) -> dict[str, int]:  # type: ignore[no-untyped-def]
    from cusimt.activate import driver

    return driver().writers(tensor.data_ptr(), tensor.untyped_storage().nbytes() - tensor.storage_offset())


@on_device
def test_operators_are_logged_by_name() -> None:
    import torch

    x, y = torch.empty(4, 5, device="cuda"), torch.empty(5, 4, device="cuda")
    x.fill_(1), y.zero_()
    assert operators() == ["aten::fill_", "aten::zero_"]
    x @ y
    x.add_(1)
    torch.layer_norm(x, (5,))
    torch.nn.functional.conv1d(torch.ones(1, 1, 5, device="cuda"), torch.ones(1, 1, 3, device="cuda"))
    assert operators() == [
        "aten::mm",
        "aten::add_",
        "aten::native_layer_norm",
        "aten::fill_",
        "aten::fill_",
        "aten::convolution",
    ]


@on_device
def test_structure_is_not_logged() -> None:
    import torch

    x = torch.empty(4, 6, device="cuda")
    x.view(24).t().detach().reshape(4, 6).transpose(0, 1)[1:].unsqueeze(0).expand(3, 5, 4)
    torch.empty_like(x), torch.empty_strided((2,), (1,), device="cuda"), x.new_empty(3)
    x.unfold(0, 2, 1), x.is_contiguous(), x.stride(), x.resize_(2, 2), x.contiguous(), x.split(1)
    x.record_stream(torch.cuda.current_stream()), x.unbind(), x.permute(1, 0), x.as_strided((2,), (1,))
    assert operators() == []


@on_device
def test_copies_are_logged_with_direction() -> None:
    import torch

    from cusimt.activate import driver

    host = torch.ones(6)
    device = host.cuda()
    device.cpu(), device.clone(), device.to("cuda:1"), device.double(), device[0].item()
    log = driver().take_operators()
    assert [(entry["copy"], entry["bytes"], entry["converts"]) for entry in log] == [
        ("h2d", 24, False),
        ("d2h", 24, False),
        ("d2d", 24, False),
        ("d2d", 24, False),
        ("d2d", 48, True),
        ("d2h", 4, False),
    ]
    assert (log[3]["from"], log[3]["to"]) == ("cuda:0", "cuda:1")


@on_device
def test_every_byte_knows_its_writer(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    empty = torch.empty(8, device="cuda")
    assert writers(empty) == {"unwritten": 32}
    copied = torch.ones(8).cuda()
    assert writers(copied) == {"copy": 32}
    assert writers(copied + 1) == {"library": 32}
    assert writers(copied.relu()) == {"library": 32}
    assert writers(torch.zeros(8, device="cuda")) == {"memset": 32}
    computed = torch.ops.simt_tests.scale(copied, 2.0)
    assert writers(computed) == {"kernel": 32}
    assert writers(computed.clone()) == {"kernel": 32}  # a copy on the device keeps the writers
    assert writers(computed.double()) == {"library": 64}  # a conversion computes
    assert writers(computed.add_(1)) == {"library": 32}
    out = torch.empty(8, device="cuda")
    torch.mul(copied, 2, out=out)
    assert writers(out) == {"library": 32}


@on_device
def test_marks_follow_strided_writes_and_copies(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    x = torch.empty(4, 4, device="cuda")
    x[:, 1].fill_(2)
    assert writers(x) == {"unwritten": 48, "memset": 16}
    x[1:3, 2:] = torch.ones(2, 2)
    assert writers(x) == {"unwritten": 32, "memset": 16, "copy": 16}
    x[0, 0] += 1
    assert writers(x)["library"] == 4
    kernel = torch.ops.simt_tests.scale(torch.ones(4, 4).cuda(), 2.0)
    x.t()[:2].copy_(kernel[:2])
    assert writers(x)["kernel"] == 32
    assert writers(x.t().contiguous())["kernel"] == 32
    joined = torch.cat([kernel, kernel])
    assert writers(joined) == {"library": 128}


@on_device
def test_host_writes_are_seen() -> None:
    import ctypes

    import torch

    x = torch.empty(8, device="cuda")
    ctypes.memset(x.data_ptr(), 0, 12)
    assert writers(x) == {"unwritten": 20, "host": 12}


@on_device
def test_a_resized_tensor_keeps_its_marks() -> None:
    import torch

    x = torch.ones(4).cuda()
    x.resize_(8)
    assert writers(x) == {"copy": 16, "unwritten": 16}


@on_device
def test_synchronisation_is_counted() -> None:
    import json

    import torch

    from cusimt.activate import driver

    x = torch.ones(4, device="cuda")
    driver().simt_take_api_calls()
    x.sum().item(), x.cpu(), torch.cuda.synchronize()
    x.to("cpu", non_blocking=True), x * 2
    calls = [json.loads(line) for line in driver().simt_take_api_calls().splitlines()]
    assert [call["kind"] for call in calls] == ["sync", "sync", "sync"]


@on_device
def test_a_long_log_is_cut_and_says_so() -> None:
    import torch

    from cusimt.activate import driver

    x = torch.ones(1, device="cuda")
    driver().take_operators()
    for _ in range((1 << 16) + 5):
        x.add_(1)
    log = driver().take_operators()
    assert len(log) == (1 << 16) + 1 and log[-1] == {"dropped": 5}
    assert driver().take_operators() == []
