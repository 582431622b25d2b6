"""The comparison with a GPU, as far as it can be tested without one: what tools print, and what differs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from cusimt.tests.test_counters import measured

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import hardware_counters  # noqa: E402
import hardware_run  # noqa: E402
import hardware_tools as tools  # noqa: E402
from hardware_subjects import Subject, subjects  # noqa: E402

LOADS, SECTORS = tools.METRICS["global_load_requests"], tools.METRICS["global_load_sectors"]

RAW = f"""==PROF== Connected to process 4711 (/usr/bin/python3.12)
==PROF== Profiling "scale": 0%....50%....100% - 1 pass
a line of the program
"ID","Process ID","Kernel Name","Stream","Block Size","Grid Size","CC","{LOADS}","{SECTORS}"
"","","","","","","","request","sector"
"0","4711","void scale<float>(const float *, float *, int)","7","(256, 1, 1)","(4, 1, 1)","9.0","32","1,128"
"1","4711","scale","7","(256, 1, 1)","(4, 1, 1)","9.0","32","1,024"
==PROF== Disconnected from process 4711
"""
DETAILS = f"""==PROF== Connected to process 4711
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","4711","void <unnamed>::scale<float>(const float *)","Command line","{LOADS}","request","32"
"0","4711","void <unnamed>::scale<float>(const float *)","Command line","{SECTORS}","sector","1,128"
"1","4711","scale(float *)","Command line","{LOADS}","request","32"
"1","4711","scale(float *)","Command line","{SECTORS}","sector","1024"
"""
LAUNCHES = [
    {"global_load_requests": 32.0, "global_load_sectors": 1128.0},
    {"global_load_requests": 32.0, "global_load_sectors": 1024.0},
]


@pytest.mark.parametrize("text", [RAW, DETAILS], ids=["raw", "details"])
def test_both_pages_of_nsight_compute_are_read(text: str) -> None:
    assert tools.parse_ncu(text) == {"scale": LAUNCHES}


def test_a_refusal_of_nsight_compute_is_said() -> None:
    refusal = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access GPU counters"
    with pytest.raises(ValueError, match="ERR_NVGPUCTRPERM"):
        tools.parse_ncu(f"==PROF== Connected\n{refusal}\n==WARNING== No kernels were profiled.\n")
    with pytest.raises(ValueError, match="printed nothing"):
        tools.parse_ncu("")


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("muladd_kernel<scalar_t>", "muladd_kernel"),
        ("void (anonymous namespace)::muladd_kernel<double>(const T1 *, int)", "muladd_kernel"),
        ("void a::b::scale<float, (int)4>(float *)", "scale"),
        ("scale", "scale"),
    ],
)
def test_kernels_are_known_by_their_base_name(kernel: str, name: str) -> None:
    assert hardware_run.base_name(kernel) == name


def test_counters_may_differ_by_a_hundredth() -> None:
    hardware = {"scale": [{"global_load_sectors": 1000.0}, {"global_load_sectors": 1000.0}]}

    assert tools.differences({"scale": [{"global_load_sectors": 1990.0}, {}]}, hardware) == {}
    assert tools.differences({"scale": [{"global_load_sectors": 1979.0}, {}]}, hardware) == {
        ("scale", "global_load_sectors"): (1979, 2000)
    }
    assert tools.differences({"scale": [{"global_load_sectors": 2000.0}]}, hardware) == {
        ("scale", "launches"): (1, 2)
    }
    assert ("other", "launches") in tools.differences({"other": [{}]}, {})


def test_the_one_known_difference_is_found_among_the_measured_kernels() -> None:
    names = {
        "load_requests": "global_load_requests",
        "store_requests": "global_store_requests",
        "load_sectors": "global_load_sectors",
        "store_sectors": "global_store_sectors",
        "shared_load_wavefronts": "shared_load_wavefronts",
        "shared_store_wavefronts": "shared_store_wavefronts",
    }
    hardware: tools.Kernels = {
        kernel: [{own: float(counts[name]) for name, own in names.items()}]
        for kernel, counts in measured().items()
    }
    ours = {kernel: [dict(launch) for launch in launches] for kernel, launches in hardware.items()}
    ours["matmul_tiled"][0]["shared_load_wavefronts"] = 131072.0  # as test_counters shows

    assert tools.differences(ours, hardware) == {("matmul_tiled", "shared_load_wavefronts"): (131072, 98304)}


MEMCHECK = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at void scale<float>(const T1 *, T1 *, int)+0x90 in kernel.cu:9
=========     by thread (67,0,0) in block (3,0,0)
=========     Address 0x7f2a4e000d0c is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f2a4e000000 of size 3,340 bytes
========= Invalid __shared__ read of size 8 bytes
=========     Address 0x104 is misaligned
========= ERROR SUMMARY: 2 errors
"""
RACECHECK = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sums+0x1c0 in kernel.cu:20
=========     and Read access at sums+0x2a0 in kernel.cu:23 [124 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""


INITCHECK = """========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at void <unnamed>::scale<float>(const T1 *, T1 *, long)+0x110 in kernel.cu:46
=========     by thread (0,0,0) in block (3,0,0)
=========     Address 0x7f0aea809600
=========
========= Host API memory access error at host access to 0x7fc94a803600 of size 4,356 bytes
=========     Uninitialized access to 0x7fc94a804680 on access by cudaMemcpy source
=========
========= ERROR SUMMARY: 2 errors
"""


def found(kind: str, *lines: str) -> tools.Diagnosis:
    return tools.Diagnosis(kind, frozenset({kind}), frozenset(lines))


def words(reports: list[tools.Diagnosis]) -> list[str]:
    return [str(report) for report in reports]


def test_reports_of_the_sanitizer_become_kinds_of_findings_and_lines() -> None:
    memory = tools.parse_sanitizer(MEMCHECK)
    assert words(memory) == ["Invalid __global__ write (kernel.cu:9)", "Invalid __shared__ read"]
    assert [("out_of_bounds" in each.kinds, "misaligned" in each.kinds) for each in memory] == [
        (True, False),
        (False, True),
    ]
    assert tools.unmatched(memory, [found("out_of_bounds", "kernel.cu:9")]) == memory[1:]
    assert tools.unmatched(memory, [found("out_of_bounds", "kernel.cu:8"), found("misaligned")]) == memory[:1]
    race = tools.parse_sanitizer(RACECHECK)
    assert words(race) == ["Race reported (kernel.cu:20, kernel.cu:23)"]
    assert tools.unmatched(race, [found("race_shared", "kernel.cu:23", "kernel.cu:31")]) == []
    assert tools.unmatched(race, [found("out_of_bounds", "kernel.cu:23")]) == race
    read, copied = tools.parse_sanitizer(INITCHECK)
    assert words([read, copied]) == [
        "Uninitialized __global__ memory read (kernel.cu:46)",
        "Uninitialized access to on access by cudaMemcpy",
    ]
    assert tools.unmatched([read, copied], [found("out_of_bounds", "kernel.cu:46")]) == [copied]
    assert tools.unmatched([read, copied], [found("uninitialized_read", "kernel.cu:46")]) == []
    assert tools.parse_sanitizer("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n") == []


def test_a_report_of_an_unknown_kind_is_not_lost() -> None:
    said = "========= COMPUTE-SANITIZER\n========= Error: something new\n========= ERROR SUMMARY: 1 error\n"
    assert words(tools.unmatched(tools.parse_sanitizer(said), [found("out_of_bounds")])) == [
        "Error: something new"
    ]


def test_values_are_compared_in_units_of_the_last_place() -> None:
    one = np.array([1.0, 2.0, np.nan, np.inf], np.float32)
    near = one.copy()
    near[0] = np.nextafter(near[0], np.float32(2))
    tiny = np.array([1e-30, 3.0, 4.0], np.float64)

    assert tools.ulps({"y": one}, {"y": one.copy()}) == 0
    assert 0 < tools.ulps({"y": one[:2]}, {"y": near[:2]}) <= 1
    assert (
        tools.ulps({"y": tiny}, {"y": tiny + np.array([1e-17, 0, 0])}) < 1
    )  # next to nothing beside 3 and 4
    assert tools.ulps({"y": one}, {"y": np.nan_to_num(one)}) == np.inf
    assert tools.ulps({"y": one}, {"z": one}) == np.inf
    assert tools.ulps({"y": np.array([1, 2])}, {"y": np.array([1, 3])}) == np.inf


def test_commands_name_the_kernels() -> None:
    program = ["python", "program.py"]

    counted = tools.ncu_command("ncu", ["b", "a"], program)
    watched = tools.sanitizer_command("compute-sanitizer", "memcheck", ["a"], program)

    assert "regex:^(a|b)$" in counted and counted[-2:] == program
    assert "kernel_substring=a" in watched and watched[-2:] == program
    assert "kernel_substring=a" not in tools.sanitizer_command("sanitizer", "initcheck", ["a"], program)
    source = "template <typename T>\n__global__ void __launch_bounds__(256)\nscale(const T* x) {}"
    assert tools.KERNEL.findall(source) == ["scale"]


# ---- the comparison, with tools that say what they are told to ---------------------------------------------


def saying(text: str, path: Path) -> str:
    """A program that prints `text`, whatever it is asked."""
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n")
    path.chmod(0o755)
    return str(path)


def subject(
    folder: Path, sectors: float, kernel: str = "scale", findings: list[tools.Diagnosis] | None = None
) -> Subject:
    counts = dict.fromkeys(tools.METRICS, 0.0) | {"global_load_requests": 32.0}
    launches = [counts | {"global_load_sectors": sectors}, counts | {"global_load_sectors": 1024.0}]
    kernels = {kernel: launches}
    return Subject("it", ROOT, "none", folder, folder, kernels=kernels, findings=findings or [])


def test_counters_are_compared_kernel_by_kernel(tmp_path: Path) -> None:
    ncu = saying(RAW, tmp_path / "ncu")

    assert hardware_counters.counter_rows(subject(tmp_path, 1128), ncu) == (
        [("it", "scale", "equal within 1 %", "64, 0, 2152, 0, 0, 0")],
        True,
    )
    assert hardware_counters.counter_rows(subject(tmp_path, 1200), ncu) == (
        [("it", "scale", "global_load_sectors: 2224 here, 2152 on the GPU", "")],
        False,
    )
    rows, fine = hardware_counters.counter_rows(subject(tmp_path, 1128, "other"), ncu)
    assert not fine and ("it", "scale", "launches: 0 here, 2 on the GPU", "") in rows


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    refused = saying("==ERROR== ERR_NVGPUCTRPERM\n==WARNING== No kernels were profiled", tmp_path / "ncu")

    assert hardware_counters.counter_rows(subject(tmp_path, 1), refused) == (
        [("it", "all", "not compared: ==ERROR== ERR_NVGPUCTRPERM", "")],
        False,
    )
    assert (
        hardware_counters.counter_rows(subject(tmp_path, 1), None)[0][0][2] == "not compared: there is no ncu"
    )
    row, _ = hardware_counters.finding_row(subject(tmp_path, 1), {})
    assert row[1] == "not compared: there is no compute-sanitizer"


def heard_by(sanitizer: str, watched: Subject, keep: Path | None = None) -> dict[str, str]:
    return {tool: hardware_counters.listen(watched, tool, sanitizer, keep) for tool in tools.SANITIZER_TOOLS}


def test_what_the_sanitizer_reports_must_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mistake = subject(tmp_path, 1, findings=[found("race_shared", "kernel.cu:23", "kernel.cu:20")])
    overlooked = subject(tmp_path, 1)
    mistake.solution = overlooked.solution = False
    texts = heard_by(saying(RACECHECK, tmp_path / "sanitizer"), mistake, tmp_path)

    row, fine = hardware_counters.finding_row(mistake, texts)
    assert fine and row[2:] == ("race_shared (kernel.cu:20, kernel.cu:23)", "")
    assert RACECHECK in (tmp_path / f"{tmp_path.name}.racecheck.txt").read_text()
    row, fine = hardware_counters.finding_row(overlooked, {"racecheck": RACECHECK})
    assert not fine and row[3] == "Race reported (kernel.cu:20, kernel.cu:23)"
    monkeypatch.setitem(hardware_counters.UNHEARD, ("it", row[3]), "it is known")
    row, fine = hardware_counters.finding_row(overlooked, {"racecheck": RACECHECK})
    assert fine and row[3] == "Race reported (kernel.cu:20, kernel.cu:23): it is known"
    assert not hardware_counters.finding_row(subject(tmp_path, 1), texts)[1]  # a solution
    silent = heard_by(saying("nothing of use", tmp_path / "silent"), mistake)
    row, fine = hardware_counters.finding_row(mistake, silent)
    assert not fine and row[3].startswith("memcheck did not finish; racecheck did not finish")


def test_a_tool_that_waits_for_ever_must_be_explained_by_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 2  # in which a shell has begun, on a loaded machine too
    monkeypatch.setattr(hardware_counters, "WAITING_LIMIT", seconds)
    monkeypatch.setattr(hardware_counters, "LIMIT", seconds)
    waiting = tmp_path / "waiting"
    waiting.write_text("#!/bin/sh\necho begun\nsleep 600 & wait\n")
    waiting.chmod(0o755)
    deadlock, race = (subject(tmp_path, 1, findings=[found(kind)]) for kind in ("deadlock", "race_shared"))
    deadlock.solution = race.solution = False

    text = hardware_counters.listen(deadlock, "memcheck", str(waiting))

    assert text.startswith("begun")
    row, fine = hardware_counters.finding_row(deadlock, {"memcheck": text})
    assert fine and row[1:] == ("memcheck: stopped after 2 s", "deadlock", "")
    text = hardware_counters.listen(race, "memcheck", str(waiting))
    row, fine = hardware_counters.finding_row(race, {"memcheck": text})
    assert not fine and row[3] == "memcheck did not finish"


def test_every_solution_and_the_mistakes_about_memory_are_compared(tmp_path: Path) -> None:
    found = subjects(tmp_path)

    solutions = {each.slug for each in found if each.solution}
    mistakes = [each.name for each in found if not each.solution]
    assert solutions >= {"patterns", "06_naive_matmul", "90_row_sums"}
    assert "90_row_sums: second barrier missing" in mistakes
    assert not any("default stream" in name for name in mistakes)
