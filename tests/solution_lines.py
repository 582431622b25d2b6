"""Every line that only the solutions of the course hold: what nobody may be handed by accident.

Found without the code that leaves them out, which is what is tested with them.
"""

from __future__ import annotations

from collections.abc import Iterable

from grader.course.catalog import Exercise
from grader.course.sections import find_regions
from grader.course.stubs import stub_text

# Lines of solutions that the course tells everybody, on purpose: in a hint, in the words of a lesson, in a
# sample about something else.
TOLD = frozenset(
    {
        "CUDAExtension(",
        'cmdclass={"build_ext": BuildExtension},',
        '"fused_muladd._C",',
        "check(*draw(shape))",
        "@pytest.mark.parametrize(",
        '@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two devices")',
        "check(x + offset, bias)",
        "ctx.save_for_backward(*inputs)",
        "ctx.mark_dirty(*rings)",
        "with torch.cuda.stream(side):",
        "using acc_t = at::opmath_type<T>;",
        "acc_t sum = 0;",
        "if (at::globalContext().deterministicAlgorithms()) {",
        "torch.cuda.reset_peak_memory_stats()",
        "start = time.perf_counter()",
        "start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))",
        "start.record()",
        "stop.record()",
        "(y,) = ctx.saved_tensors",
        "i += step) {",
        "out.numel(), c10::cuda::getCurrentCUDAStream());",
        "a.packed_accessor64<const T, 2, at::RestrictPtrTraits>(),",
        "b.packed_accessor64<const T, 2, at::RestrictPtrTraits>(),",
        "out.packed_accessor64<T, 2, at::RestrictPtrTraits>());",
        "for (int64_t t = 0; t < tokens; ++t) {",
        "const bool down = strides.row < strides.column;",
        "sum = warp_sum(sum);",
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {",
        # docs/bindings.md shows an operator on the stable ABI, whole
        "STD_CUDA_KERNEL_LAUNCH_CHECK();",
        "STD_TORCH_CHECK(dtype == ScalarType::Float || dtype == ScalarType::Double,",
        "TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));",
        "void* stream = nullptr;",
        '"-DTORCH_TARGET_VERSION=0x020a000000000000", # 2.10',
        '"-DUSE_CUDA",',
        "py_limited_api=True,",
        'install_requires=["torch>=2.10"],',
        'options={"bdist_wheel": {"py_limited_api": "cp310"}},',
    }
)


def squeezed(text: str) -> str:
    """`text` with one blank for several, so that indentation hides nothing."""
    return "\n".join(" ".join(line.split()) for line in text.splitlines())


def solution_lines(exercises: Iterable[Exercise]) -> set[str]:
    """The lines of the open sections that no stub contains, and that say something; squeezed."""
    exercises = list(exercises)
    stubs = squeezed(
        "\n".join(stub_text(each, name) for each in exercises for name in (*each.edit, *each.given))
    )
    lines = set()
    for exercise in exercises:
        for section in exercise.sections.values():
            path = exercise.solution_dir / section.file
            text = path.read_text()
            (region,) = (region for region in find_regions(text, path) if region.name == section.name)
            lines |= {squeezed(line) for line in text.splitlines()[region.start : region.end - 1]}
    return {line for line in lines if len(line.replace(" ", "")) >= 8 and line not in stubs}
