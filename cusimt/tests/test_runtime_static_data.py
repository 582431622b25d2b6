"""The library's own variables: constants may be read in kernels, the host's variables are out of reach."""

from __future__ import annotations

import json
import re

import pytest

from cusimt import findings
from cusimt.findings import Finding, explain
from cusimt.tests.runtime_program import program, run, source_line
from cusimt.translate import translate

WRONG = [
    # case, access, variable, mark of the line
    ("write_static", "write", "host_buffer", "store"),
    ("write_named", "write", "host_buffer", "store_named"),
    ("write_local_static", "write", "in_main", "store"),
    ("write_template_static", "write", "kept", "store"),
    ("write_namesake_of_a_template", "write", "generic", "store"),
    ("write_namesake_of_a_static", "write", "tickets", "store"),
    ("write_by_memcpy", "write", "host_buffer", "store_copy"),
    ("write_by_modf", "write", "host_buffer", "store_parts"),
    ("write_thread_local", "write", "too", "store_thread_local"),
    ("write_constant_table", "write", "table", "store"),
    ("read_written_static", "read", "host_buffer", "store"),
]


def found(case: str) -> tuple[list[str], list[Finding]]:
    """What the case printed, ending with the last error, and what was found."""
    done = run(program("static_data"), case)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    raw = [json.loads(line) for line in lines if line.startswith("{")]
    return [line for line in lines if not line.startswith("{")], findings.symbolise(raw)


@pytest.mark.parametrize(("case", "access", "variable", "mark"), WRONG, ids=[case[0] for case in WRONG])
def test_a_variable_of_the_host_is_an_illegal_access(
    case: str, access: str, variable: str, mark: str
) -> None:
    printed, (finding,) = found(case)
    assert printed[-1] == "cudaErrorIllegalAddress"
    assert (finding.kind, finding.access, finding.space) == ("host_pointer", access, "static")
    assert finding.frame.line == source_line("static_data", mark)
    assert explain(finding).startswith(f"Invalid {access} of size {finding.bytes} bytes: host memory, the ")
    assert f"the library's own variable `{variable}`. static_data.cu:" in explain(finding)
    assert "On a GPU this is an illegal memory access" in explain(finding)


@pytest.mark.parametrize(
    ("case", "access"), [("write_stack", "write"), ("read_stack", "read"), ("write_heap", "write")]
)
def test_other_memory_of_the_host_has_no_name(case: str, access: str) -> None:
    printed, (finding,) = found(case)
    assert printed[-1] == "cudaErrorIllegalAddress"
    assert (finding.kind, finding.access, finding.space) == ("host_pointer", access, "host")


@pytest.mark.parametrize("case", ["constants", "parameter", "read_unwritten_static"])
def test_constants_and_parameters_are_no_variables_of_the_host(case: str) -> None:
    printed, seen = found(case)
    assert (printed[-1], seen) == ("cudaSuccess", [])


def test_variables_of_device_functions_and_templates_keep_their_values() -> None:
    printed, seen = found("device_owned")
    assert printed == ["67 13 7", "cudaSuccess"]
    assert seen == []


@pytest.mark.parametrize(
    ("case", "space", "says"),
    [
        ("shield_managed", "managed", "Host code touches managed memory."),
        ("shield_managed_variable", "managed", "A kernel makes a write of managed memory"),
        ("shield_pinned", "pinned", "A kernel makes a write of pinned memory"),
        ("shield_registered", "registered", "A kernel makes a write of registered memory"),
    ],
)
def test_memory_of_both_sides_is_found_in_a_graded_call(case: str, space: str, says: str) -> None:
    printed, (finding,) = found(case)
    assert printed[-1] == "cudaSuccess"
    assert (finding.kind, finding.space) == ("mapped_memory", space)
    assert explain(finding).startswith(says)


@pytest.mark.parametrize("case", ["shield_managed_by_kernels", "shield_pinned_by_copies", "shield_no_thread"])
def test_what_one_side_does_alone_is_no_finding(case: str) -> None:
    printed, seen = found(case)
    assert (printed[-1], seen) == ("cudaSuccess", [])


def test_the_host_has_copies_of_device_variables_and_shared_memory_ends_with_the_launch() -> None:
    printed, seen = found("shield_hides")
    assert printed == ["0 0", "128", "cudaSuccess"]  # what the kernels added up, and not what the host wrote
    assert seen == []


def test_a_thread_beside_a_launch_is_found() -> None:
    _, (finding,) = found("shield_thread")
    assert finding.kind == "other_thread"
    assert "1 beside PyTorch's" in explain(finding)


def test_variables_that_no_section_holds_are_tagged_or_listed_by_their_full_names() -> None:
    source = """template <class T> __device__ T generic[4];
__managed__ int both;
__device__ int placed;
__device__ int f() { static int calls; static const int limit = 3; static float sums[2]; return calls; }
template <class T> __global__ void g(T* out) { static __device__ T kept[4]; __device__ static T late; }
void host() { static int of_host; }
namespace a { namespace { template <class T> __device__ T hidden; } }
namespace b::c { inline namespace d { template <class T> __device__ T deep; } inline __device__ int one; }
"""
    text = translate(source, "a.cu")
    assert text.endswith(
        '\nSIMT_DEVICE_VARIABLES("a::(anonymous namespace)::hidden\\0""b::c::d::deep\\0""generic\\0")\n'
    )
    tagged = re.findall(r"SIMT_DEVICE_OWNED (?:static )?\w+ (\w+)", text)
    assert tagged == ["calls", "sums", "kept", "late", "one"]
    assert "SIMT_MANAGED_MEMORY int both" in text
    assert "SIMT_DEVICE_MEMORY int placed" in text
