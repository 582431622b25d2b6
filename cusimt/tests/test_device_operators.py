"""Operators on the device: kernels with guard and stream, autograd, opcheck, compile, the stable ABI."""

from __future__ import annotations

import pytest

from cusimt.tests.device import extension
from cusimt.tests.device.process import on_device


@pytest.fixture(scope="module")
def library() -> str:
    return extension.library("simt_tests", "scale.cu", "scale.cpp")


@pytest.fixture(scope="module")
def stable_library() -> str:
    return extension.library("simt_stable_tests", "scale.cu", "stable_scale.cpp")


@pytest.fixture(scope="module")
def header_library() -> str:
    return extension.library("simt_header_tests", "aten_headers.cu")


@on_device
def test_a_kernel_runs_on_the_tensors_device(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    for device in ("cuda:0", "cuda:1"):
        for dtype in (torch.float32, torch.float64):
            x = torch.randn(300, dtype=dtype, device=device)
            y = torch.ops.simt_tests.scale(x, 3.0)
            assert y.device == x.device and torch.cuda.current_device() == 0
            torch.testing.assert_close(y.cpu(), x.cpu() * 3)
    assert torch.ops.simt_tests.scale(torch.empty(0, device="cuda"), 2.0).shape == (0,)


@on_device
def test_a_kernel_follows_streams(library: str) -> None:
    import json

    import torch

    from cusimt.activate import driver

    torch.ops.load_library(library)
    x = torch.arange(10.0, device="cuda:1")
    side = torch.cuda.Stream(device="cuda:1")
    driver().simt_take_launches()
    with torch.cuda.stream(side):
        torch.ops.simt_tests.scale(x, 1.0)
    y = torch.ops.simt_tests.scale_aside(x, 2.0)
    launches = [json.loads(line) for line in driver().simt_take_launches().splitlines()]
    assert [launch["device"] for launch in launches] == [1, 1]
    assert launches[0]["stream"] == side.stream_id != 0
    assert launches[1]["stream"] not in (0, side.stream_id)
    assert y.tolist() == [2.0 * i for i in range(10)]


@on_device
def test_a_kernel_refuses_host_tensors(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    with pytest.raises(NotImplementedError, match="'simt_tests::scale' with arguments from the 'CPU'"):
        torch.ops.simt_tests.scale(torch.ones(2), 2.0)
    with pytest.raises(RuntimeError, match="x must be contiguous"):
        torch.ops.simt_tests.scale(torch.ones(2, 3, device="cuda").t(), 2.0)
    with pytest.raises(RuntimeError, match="\"scale\" not implemented for 'Long'"):
        torch.ops.simt_tests.scale(torch.arange(3, device="cuda"), 2.0)


@on_device
def test_a_cpu_kernel_does_not_serve_the_device(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    assert torch.ops.simt_tests.only_for_cpu(torch.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(NotImplementedError, match=r"'simt_tests::only_for_cpu' .* from the 'CUDA' backend"):
        torch.ops.simt_tests.only_for_cpu(torch.ones(2, device="cuda"))


@on_device
def test_what_cpp_sees_of_the_device(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    fact = torch.ops.simt_tests.fact
    names = ("device_count", "current_device", "warp_size", "multiprocessors")
    assert [fact(name) for name in names] == [2, 0, 32, 132]
    assert fact("major", 1) == 9 and fact("default_stream", 1) == 0
    side = torch.cuda.Stream(device="cuda:1")
    with torch.cuda.stream(side):
        assert fact("current_device") == 1 and fact("current_stream", 1) == side.stream_id
    assert fact("exchange", 1) == 0 and torch.cuda.current_device() == 1
    assert torch.ops.simt_tests.raw_allocation(1000) == 1000


@on_device
def test_errors_have_pytorchs_words(library: str, stable_library: str) -> None:
    import torch

    torch.ops.load_library(library)
    torch.ops.load_library(stable_library)
    torch.ops.simt_tests.fail_with(0)
    with pytest.raises(torch.AcceleratorError, match="CUDA error: invalid configuration argument") as failure:
        torch.ops.simt_tests.fail_with(9)
    assert "Search for `cudaErrorInvalidConfiguration'" in str(failure.value)
    with pytest.raises(RuntimeError, match="CUDA error: invalid device ordinal\nGPU device may be"):
        torch.ops.simt_tests.fail_with(101)
    with pytest.raises(RuntimeError, match="CUDA error: invalid argument"):
        torch.ops.simt_stable_tests.fail_with(1)
    with pytest.raises(NotImplementedError, match="cuSOLVER has no simulation"):
        torch.ops.simt_tests.ask_for_cusolver()


@on_device
def test_cublas_through_pytorchs_handle(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    a, b = torch.randn(5, 3, device="cuda"), torch.randn(3, 4, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        product = torch.ops.simt_tests.product(a, b)
    torch.testing.assert_close(product.cpu(), a.cpu() @ b.cpu())


@on_device
def test_calls_of_libraries_are_recorded_and_pytorchs_handles_are_not(library: str) -> None:
    import torch

    from cusimt.records import load_runtime, take_records

    torch.ops.load_library(library)
    a, side = torch.randn(5, 5, device="cuda"), torch.cuda.Stream()
    load_runtime().simt_watch_streams()
    take_records("api_calls")
    torch.ops.simt_tests.product(a, a)
    with torch.cuda.stream(side):
        torch.ops.simt_tests.product(a, a)
    calls = take_records("api_calls")
    assert [(each["call"], each["kind"], each["stream"]) for each in calls] == [
        ("cuBLAS gemm", "library", 0),
        ("cuBLAS gemm", "library", side.stream_id),
    ]
    assert [each["waits"] for each in calls] == [1, 0]


@on_device
def test_handles_that_a_program_creates_are_recorded() -> None:
    import ctypes

    from cusimt.records import load_runtime, take_records

    runtime, handle = load_runtime(), ctypes.c_void_p()
    take_records("api_calls")
    for create in (runtime.cublasCreate, runtime.cusparseCreate):
        assert create(ctypes.byref(handle)) == 0
    assert [(each["call"], each["kind"]) for each in take_records("api_calls")] == [
        ("cublasCreate", "handle"),
        ("cusparseCreate", "handle"),
    ]


@on_device
def test_pytorchs_handle_follows_the_tf32_switch(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    a, one = torch.full((1, 1), 1 + 2.0**-12, device="cuda"), torch.ones(1, 1, device="cuda")
    assert torch.ops.simt_tests.product(a, one).item() == 1 + 2.0**-12
    torch.backends.cuda.matmul.allow_tf32 = True
    assert torch.ops.simt_tests.product(a, one).item() == 1
    torch.backends.cuda.matmul.allow_tf32 = False
    assert torch.ops.simt_tests.product(a, one).item() == 1 + 2.0**-12


@on_device
def test_cusparse_through_pytorchs_handle(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    dense = torch.randn(6, 5) * (torch.rand(6, 5) < 0.4)
    sparse, b = dense.to_sparse_csr(), torch.randn(5, 3)
    parts = [part.cuda() for part in (sparse.crow_indices(), sparse.col_indices(), sparse.values(), b)]
    with torch.cuda.stream(torch.cuda.Stream()):
        product = torch.ops.simt_tests.sparse_product(*parts)
    torch.testing.assert_close(product.cpu(), dense @ b)
    with pytest.raises(RuntimeError, match=r"the workspace has to be 280 bytes.* when calling `cusparseSpMM"):
        torch.ops.simt_tests.sparse_product(*parts, short_of=1)


@on_device
def test_the_stable_abi(stable_library: str) -> None:
    import torch

    torch.ops.load_library(stable_library)
    x = torch.arange(6.0, dtype=torch.float64, device="cuda:1")
    y = torch.ops.simt_stable_tests.scale(x, 0.5)
    assert y.device == x.device and y.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]


@on_device
def test_an_illegal_access_stays_until_the_process_ends(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    x, host = torch.ones(4, device="cuda"), torch.ones(4)
    torch.ops.simt_tests.poke(x, 1 << 44)
    for use in (lambda: x + 1, lambda: x.cpu(), lambda: torch.empty(1, device="cuda"), lambda: host.cuda()):
        with pytest.raises(torch.AcceleratorError, match="CUDA error: an illegal memory access"):
            use()


@on_device
def test_pytorchs_own_device_headers(header_library: str) -> None:
    import torch

    torch.ops.load_library(header_library)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        assert torch.ops.simt_header_tests.sum(torch.ones(100, dtype=dtype, device="cuda")).item() == 100
    x = torch.randperm(32).float()
    assert torch.ops.simt_header_tests.largest(x.cuda()).item() == 31


def _register_gradient() -> None:
    import torch

    @torch.library.register_fake("simt_tests::scale")
    def fake(x: torch.Tensor, factor: float) -> torch.Tensor:
        return torch.empty_like(x)

    def setup(ctx, inputs, output):  # type: ignore[no-untyped-def]
        ctx.factor = inputs[1]

    def backward(ctx, cotangent):  # type: ignore[no-untyped-def]
        return torch.ops.simt_tests.scale(cotangent.contiguous(), ctx.factor), None

    torch.library.register_autograd("simt_tests::scale", backward, setup_context=setup)


@on_device
def test_gradients_opcheck_and_compile(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    _register_gradient()
    scale = torch.ops.simt_tests.scale
    x = torch.randn(5, 7, dtype=torch.float64, device="cuda", requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: scale(t, 1.5), (x,))
    assert set(torch.library.opcheck(scale.default, (x, 2.0)).values()) == {"SUCCESS"}
    compiled = torch.compile(
        lambda t: scale(t.sin(), 3.0) * 2, fullgraph=True, dynamic=True, backend="aot_eager"
    )
    for rows in (3, 4):
        t = torch.randn(rows, 2, device="cuda", requires_grad=True)
        compiled(t).sum().backward()
        torch.testing.assert_close(t.grad.cpu(), 6 * t.detach().cpu().cos())
    torch.compiler.reset()  # imports the parts of inductor that know CUDA graphs


@on_device
def test_the_backward_runs_on_a_thread_of_the_device(library: str) -> None:
    import threading

    import torch

    torch.ops.load_library(library)
    seen = {}

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            return torch.ops.simt_tests.scale(x, 2.0)

        @staticmethod
        def backward(ctx, cotangent):  # type: ignore[no-untyped-def]
            seen["thread"] = threading.get_ident()
            seen["device"] = torch.cuda.current_device()
            seen["stream"] = torch.cuda.current_stream().stream_id
            return torch.ops.simt_tests.scale(cotangent.contiguous(), 2.0)

    side = torch.cuda.Stream(device="cuda:1")
    x = torch.ones(4, device="cuda:1", requires_grad=True)
    with torch.cuda.stream(side):
        y = Scale.apply(x)
    y.sum().backward()
    assert x.grad.tolist() == [2.0] * 4
    assert seen["thread"] != threading.get_ident()
    assert (seen["device"], seen["stream"]) == (1, side.stream_id)


@on_device
def test_vmap_and_func(library: str) -> None:
    import torch

    x = torch.randn(3, 4, device="cuda")
    torch.testing.assert_close(torch.vmap(torch.dot)(x, x).cpu(), (x.cpu() ** 2).sum(1))
    jacobian = torch.func.jacrev(lambda t: t**2)(x[0])
    torch.testing.assert_close(jacobian.cpu(), torch.diag(2 * x[0].cpu()))
