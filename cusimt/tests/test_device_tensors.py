"""Tensors on the simulated device: values, devices, in-place and out= operators, copies, serialisation."""

from __future__ import annotations

import pytest

from cusimt.tests.device.process import on_device


@on_device
def test_the_device_looks_like_cuda() -> None:
    import torch

    assert torch.cuda.is_available()
    assert torch.cuda.device_count() == 2
    assert torch.backends.cuda.is_built()
    assert torch.version.cuda == "13.0"
    assert torch.accelerator.current_accelerator() == torch.device("cuda")
    assert torch.cuda.get_device_capability() == (9, 0)
    properties = torch.cuda.get_device_properties("cuda:1")
    assert (properties.major, properties.warp_size, properties.multi_processor_count) == (9, 32, 132)
    assert properties.shared_memory_per_block == 48 * 1024
    assert torch.cuda.get_device_name() == properties.name
    assert torch.cuda.is_bf16_supported()


@on_device
def test_values_agree_with_the_cpu() -> None:
    import torch

    a, b = torch.randn(7, 5), torch.randn(5, 3)
    x, y = a.cuda(), b.cuda()
    assert (x.device, x.is_cuda, x.is_cpu) == (torch.device("cuda:0"), True, False)
    torch.testing.assert_close((x @ y).cpu(), a @ b)
    torch.testing.assert_close(torch.softmax(x, 1).cpu(), torch.softmax(a, 1))
    torch.testing.assert_close(x.t()[1:].sum(0).cpu(), a.t()[1:].sum(0))
    torch.testing.assert_close(torch.linalg.svdvals(x).cpu(), torch.linalg.svdvals(a))
    torch.testing.assert_close((x + 1).half().float().cpu(), (a + 1).half().float())
    assert x.argmax().item() == a.argmax().item()
    assert torch.equal(x.nonzero().cpu(), a.nonzero())
    assert x[a > 0].numel() == int((a > 0).sum())


@on_device
def test_in_place_operators_write_into_the_tensor() -> None:
    import torch

    x = torch.zeros(4, 6, device="cuda")
    address = x.data_ptr()
    x.add_(2).mul_(3)
    x[1:3, ::2].fill_(-1)
    x[:, 5] = torch.arange(4.0, device="cuda")
    expected = torch.full((4, 6), 6.0)
    expected[1:3, ::2] = -1
    expected[:, 5] = torch.arange(4.0)
    assert x.data_ptr() == address
    assert torch.equal(x.cpu(), expected)


@on_device
def test_out_arguments_are_filled_and_resized() -> None:
    import torch

    a = torch.randn(3, 4, device="cuda")
    out = torch.empty(3, 4, device="cuda")
    address = out.data_ptr()
    assert torch.exp(a, out=out) is out
    assert out.data_ptr() == address
    torch.testing.assert_close(out.cpu(), a.cpu().exp())
    empty = torch.empty(0, device="cuda")
    torch.mm(a, a.t(), out=empty)
    assert (empty.shape, empty.device) == ((3, 3), a.device)
    torch.testing.assert_close(empty.cpu(), a.cpu() @ a.cpu().t())
    transposed = torch.empty(4, 3, device="cuda").t()
    torch.add(a, 1, out=transposed)
    assert transposed.stride() == (1, 3)
    torch.testing.assert_close(transposed.cpu(), a.cpu() + 1)


@on_device
def test_views_share_memory() -> None:
    import torch

    x = torch.arange(12.0, device="cuda")
    view = x.view(3, 4).t()[1:]
    view.zero_()
    assert torch.equal(x.cpu().view(3, 4), torch.tensor([[0.0, 0, 0, 0], [4, 0, 0, 0], [8, 0, 0, 0]]))
    assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    pairs = torch.view_as_real(torch.zeros(2, dtype=torch.complex64, device="cuda"))
    assert pairs.shape == (2, 2) and pairs.is_cuda
    unfolded = x.unfold(0, 3, 3)
    unfolded[0, 0] = 7
    assert x[0].item() == 7


@on_device
def test_resize_keeps_what_was_there() -> None:
    import torch

    x = torch.arange(6.0, device="cuda")
    x.resize_(40)
    assert x.device == torch.device("cuda:0")
    assert torch.equal(x[:6].cpu(), torch.arange(6.0))
    x.resize_(0)
    y = torch.empty(0, device="cuda").set_(torch.arange(4.0, device="cuda"))
    assert y.sum().item() == 6


@on_device
def test_two_devices() -> None:
    import torch

    x = torch.arange(3.0, device="cuda:1")
    assert x.device.index == 1 and (x * 2).device.index == 1
    assert torch.cuda.current_device() == 0
    with torch.cuda.device(1):
        assert torch.cuda.current_device() == 1
        assert torch.ones(1, device="cuda").device.index == 1
    assert torch.cuda.current_device() == 0
    torch.cuda.set_device(1)
    assert torch.empty(1, device="cuda").get_device() == 1
    torch.cuda.set_device(0)
    moved = x.to("cuda:0")
    assert moved.device.index == 0 and torch.equal(moved.cpu(), x.cpu())
    with torch.cuda.device_of(x):
        assert torch.cuda.current_device() == 1
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.ones(1, device="cuda:2")


@on_device
def test_devices_cannot_be_mixed() -> None:
    import torch

    host = torch.ones(2, 2)
    first, second = host.to("cuda:0"), host.to("cuda:1")
    with pytest.raises(RuntimeError, match=r"found at least two devices, cuda:0 and cuda:1!"):
        first + second
    with pytest.raises(RuntimeError, match=r"found at least two devices, cuda:0 and cpu!"):
        first * host
    with pytest.raises(RuntimeError, match=r"mat2 is on cpu, different from other tensors on cuda:0"):
        first @ host
    with pytest.raises(RuntimeError, match=r"same device.*cuda:1.*cuda:0|same device.*cuda:0.*cuda:1"):
        torch.cat([first, second])
    assert torch.equal((first + torch.tensor(2.0)).cpu(), host + 2)  # a host scalar may be mixed in
    assert torch.equal(first[torch.tensor([0])].cpu(), host[:1])  # and so may indices


@on_device
def test_copies_between_host_and_device() -> None:
    import torch

    host = torch.randn(5, 4)
    device = torch.empty(4, 5, device="cuda").t()
    device.copy_(host)
    assert torch.equal(device.cpu(), host)
    assert torch.equal(device.double().cpu(), host.double())
    back = torch.empty(5, 4).copy_(device)
    assert torch.equal(back, host)
    rows = torch.zeros(5, 4, device="cuda")
    rows.copy_(torch.arange(4.0))  # broadcasts
    assert torch.equal(rows.cpu(), torch.arange(4.0).expand(5, 4))
    z = torch.randn(3, dtype=torch.complex64)
    assert torch.equal(z.conj().cuda().cpu(), z.conj().resolve_conj())
    assert torch.equal(z.cuda().conj().cpu().resolve_conj(), z.conj().resolve_conj())
    with pytest.raises(RuntimeError, match="must match the size"):
        rows.copy_(torch.ones(3, 3))


@on_device
def test_pinned_memory() -> None:
    import torch

    plain = torch.arange(4.0)
    pinned = plain.pin_memory()
    assert pinned.is_pinned() and not plain.is_pinned()
    assert torch.empty(3, pin_memory=True).is_pinned()
    assert torch.equal(pinned.to("cuda", non_blocking=True).cpu(), plain)


@on_device
def test_print_deepcopy_pickle_and_save() -> None:
    import copy
    import io
    import pickle

    import torch

    x = torch.tensor([1.5, -2.0], device="cuda:1")
    assert repr(x) == "tensor([ 1.5000, -2.0000], device='cuda:1')"
    twin = copy.deepcopy(x)
    assert twin.device == x.device and twin.data_ptr() != x.data_ptr() and torch.equal(twin, x)
    assert torch.equal(pickle.loads(pickle.dumps(x)), x)
    buffer = io.BytesIO()
    torch.save({"x": x}, buffer)
    buffer.seek(0)
    assert torch.load(buffer)["x"].device == x.device
    buffer.seek(0)
    assert torch.equal(torch.load(buffer, map_location="cpu")["x"], x.cpu())
    host = io.BytesIO()
    torch.save(x.cpu(), host)
    host.seek(0)
    assert torch.load(host, map_location="cuda").device == torch.device("cuda:0")


@on_device
def test_storages_on_the_device() -> None:
    import torch

    storage = torch.UntypedStorage(16, device="cuda:1")
    assert (storage.device, storage.nbytes()) == (torch.device("cuda:1"), 16)
    copied = torch.arange(4.0).untyped_storage().cuda()
    assert torch.empty(0, device="cuda").set_(copied, 0, (4,)).tolist() == [0.0, 1.0, 2.0, 3.0]
    typed = torch.arange(4.0, device="cuda").untyped_storage().cpu()
    assert torch.empty(0).set_(typed, 0, (4,)).tolist() == [0.0, 1.0, 2.0, 3.0]


@on_device
def test_other_libraries_see_the_memory() -> None:
    import torch

    x = torch.arange(6.0, device="cuda").view(2, 3)
    interface = x.__cuda_array_interface__
    assert interface["shape"] == (2, 3) and interface["data"] == (x.data_ptr(), False)
    assert x.__dlpack_device__() == (2, 0)
    shared = torch.from_dlpack(x)
    shared[0, 0] = 9
    assert x[0, 0].item() == 9 and shared.device == x.device


@on_device
def test_torchscript_indexes() -> None:
    import torch

    unit = torch.jit.CompilationUnit(
        "def taken(x, i):\n    return x[i], x[:, i]\ndef put(x, i):\n    x[i, i] = 2.0\n    return x\n"
    )
    a, i = torch.arange(12.0).reshape(3, 4), torch.tensor([2, 0])
    x, j = a.cuda(), i.cuda()
    for taken, expected in zip(unit.taken(x, j), (a[i], a[:, i]), strict=True):
        assert taken.is_cuda and torch.equal(taken.cpu(), expected)
    a[i, i] = 2.0
    assert torch.equal(unit.put(x, j).cpu(), a) and torch.equal(x.cpu(), a)


@on_device
def test_what_has_no_cpu_kernel_is_refused() -> None:
    import torch

    q = torch.ones(1, 1, 8, 8, device="cuda", dtype=torch.half)
    with pytest.raises(NotImplementedError, match="Could not run 'aten::_scaled_dot_product_flash_attention"):
        torch.ops.aten._scaled_dot_product_flash_attention(q, q, q)
    with pytest.raises(NotImplementedError, match="no Sparse tensors"):
        torch.eye(3, device="cuda").to_sparse()


@on_device
def test_losses_come_without_warnings() -> None:
    import warnings

    import torch

    x, y = torch.randn(64, 1), torch.randn(64, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for loss in (torch.nn.functional.mse_loss, torch.nn.functional.smooth_l1_loss):
            torch.testing.assert_close(loss(x.cuda(), y.cuda()).cpu(), loss(x, y))
