"""A kernel belongs to a library by its own name, whatever types it was instantiated with."""

from __future__ import annotations

import pytest

from grader.checks.device.launches import is_of_a_library, is_own
from tests.unit.fake_submission import FakeSession, fake_bench


@pytest.mark.parametrize(
    "kernel",
    [
        "muladd_kernel(float const*, float*, long)",
        "void (anonymous namespace)::pool_kernel<c10::Half>(c10::Half const*, long)",
        "void mine::sum<float, at::native::Plus<float> >(float const*)",
        "void pool_kernel<c10::BFloat16>(c10::BFloat16 const*)",
    ],
)
def test_kernels_of_the_learner(kernel: str) -> None:
    assert not is_of_a_library(kernel)


@pytest.mark.parametrize(
    "kernel",
    [
        "void at::native::vectorized_elementwise_kernel<4, at::native::Fill<float>, float*>(int, float*)",
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float>(float*)",
        "std::enable_if<(true), void>::type cub::DeviceReduceKernel<float>(float*)",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm>(Params)",
        "Memset (Device)",
    ],
)
def test_kernels_of_libraries(kernel: str) -> None:
    assert is_of_a_library(kernel)


@pytest.mark.parametrize("kernel", ["ampere_sgemm_128x64_nn", "sm90_xmma_gemm", "splitKreduce_kernel"])
def test_names_in_c_tell_only_where_nothing_else_does(kernel: str) -> None:
    """On cuda, without a list of what the library defines; the simulated GPU runs the learner's alone."""
    session = FakeSession(abs)
    on_cuda, on_simt = (
        fake_bench(session, abs, [], parameters="a", backend=backend) for backend in ("cuda", "simt")
    )
    assert not is_own(on_cuda, kernel)
    assert is_own(on_simt, kernel)
