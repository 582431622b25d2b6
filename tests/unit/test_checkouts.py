"""The scripts that run other people's code: what counts as passed, and what ends at its limit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import checkouts, extension_repositories, hecbench, judged_programs, program_records
from benchmarks.checkouts import Ended, in_scratch, run_limited
from benchmarks.extension_repositories import Extension, Result, Row, merged, recorded, saved
from cusimt.programs.program import prepare

BUILT = Ended(0, "", 1.0, frozenset())


def ran(output: str, status: int | None = 0, *kinds: str) -> Ended:
    return Ended(status, output, 1.0, frozenset(kinds))


@pytest.mark.parametrize(
    ("ended", "verdict"),
    [
        ([BUILT, ran("PASS\n")], "passed"),
        ([BUILT, ran("PASS"), ran("PASSED")], "passed"),
        ([BUILT, ran("PASS"), ran("done")], "failed"),
        ([BUILT, ran("second pass of two")], "failed"),
        ([BUILT, ran("PASS\nFAIL")], "failed"),
        ([BUILT, ran("PASS", 1)], "failed"),
        ([BUILT, ran("PASS", 0, "race_global")], "failed"),
        ([BUILT, ran("PASS", None)], "limit"),
        ([BUILT, ran("", None, "race_global")], "failed"),
        ([BUILT], "failed"),
        ([ran("main.cu:1: error: x", 2)], "unsupported"),
    ],
)
def test_the_verdict_on_a_program(ended: list[Ended], verdict: str) -> None:
    assert hecbench.RULES.verdict(ended)[0] == verdict


def test_what_a_program_lacks_counts_for_nothing() -> None:
    results = [
        judged_programs.Result(name, (), "failed" if name == "b" else "passed", "", 1) for name in "abc"
    ]
    known = {"b": {"lacks": "its data"}, "c": {"remark": "unseen"}}
    text = program_records.summary([program_records.row(each, known) for each in results], "")
    assert "| 3        | 2      | 0      | 0           | 0     | 1       | 0           | 100.0 %" in text
    assert "its data" in text and "unseen" not in text


def sampled(*kinds: str, status: int | None = 1) -> Ended:
    return replace(ran("FAIL", status, *kinds), blocks=(64, 1024))


@pytest.mark.parametrize(
    ("fast", "parts", "verdict", "why"),
    [
        (("passed", ""), [sampled()], "passed", "64 of 1024 blocks"),
        (("passed", ""), [sampled(), sampled()], "passed", "128 of 2048 blocks"),
        (("passed", ""), [sampled(), sampled("race_global")], "failed", "sampled run: race_global"),
        (("passed", ""), [sampled(status=None)], "limit", "passes in the fast build"),
        (("failed", "it does not print PASS"), [], "failed", "it does not print PASS"),
        (("limit", "more than 60 s"), [], "limit", "more than 60 s in the fast build, too"),
    ],
)
def test_the_verdict_on_a_second_try(
    fast: tuple[str, str], parts: list[Ended], verdict: str, why: str
) -> None:
    ended = judged_programs.second_verdict(fast, parts)
    assert ended[0] == verdict and why in ended[1]


def test_programs_of_a_record_stay_until_they_run_again() -> None:
    results = [
        judged_programs.Result("a", ("1", "2"), "limit", "more than 60 s", 61, simulator="old"),
        judged_programs.Result("b", (), "passed", "", 1, simulator="old"),
        judged_programs.Result("d", (), "passed", "", 1, simulator="old"),
    ]
    text = program_records.summary([program_records.row(each, {}) for each in results], "")
    again = judged_programs.Result("a", ("1", "2"), "passed", "all blocks", 90, "fast", simulator="new")
    rows = program_records.merged(
        program_records.recorded(text), [program_records.row(again, {})], ["a", "b", "c"]
    )
    assert rows == [
        ("a", "1; 2", "passed", "fast", "90", "no", "new", "all blocks"),
        ("b", "-", "passed", "checked", "1", "no", "old", ""),
    ]
    assert "| 1           | 50.0 %" in program_records.summary(rows, "")


_LONG_IF_CHECKED_WHOLE = """
#include <cstdio>
#include <cstdlib>
__global__ void add(int* sum) { ADD; }
int main() {
    if (*getenv("CUSIMT_CHECKS") == '1' && !getenv("CUSIMT_SAMPLE_BLOCKS")) for (volatile int i = 0;; ++i) {}
    int *sum, result = -1;
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    add<<<1000, 1>>>(sum);
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    puts(result == EXPECTED ? "PASS" : "FAIL");
}
"""


RunLong = Callable[..., judged_programs.Result]


@pytest.fixture
def run_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunLong:
    """Builds the text of a program and runs it, within `limit` seconds of processor time."""

    def run(program: str, flags: str, limit: float, patience: float = 0) -> judged_programs.Result:
        (folder := tmp_path / "checkout/src/long-cuda").mkdir(parents=True)
        (folder / "main.cu").write_text(program)
        (folder / "Makefile").write_text(f"main:\n\tnvcc {flags} -o main main.cu\nrun:\n\t./main\n")
        (scratch := tmp_path / "scratch").mkdir()
        monkeypatch.setattr(os, "environ", dict(os.environ))
        prepare(checked=True)
        return hecbench.run("long", tmp_path / "checkout", (), scratch, limit, None, patience)

    return run


@pytest.mark.parametrize(
    ("add", "expected", "verdict", "why"),
    [
        ("atomicAdd(sum, 1)", 1000, "passed", "checked in a sampled run: 64 of 1000 blocks"),
        ("atomicAdd(sum, 1)", 64, "failed", "FAIL"),
        ("*sum += 1", 1000, "failed", "findings in a sampled run: race_global"),
    ],
)
def test_a_program_too_long_for_the_checked_build(
    run_long: RunLong, add: str, expected: int, verdict: str, why: str
) -> None:
    result = run_long(_LONG_IF_CHECKED_WHOLE, f"-DADD='{add}' -DEXPECTED={expected}", limit=1)
    assert (result.verdict, result.build, result.why) == (verdict, "fast", why)
    assert result.own.startswith("fast build, ") == (expected == 1000)  # whatever was found


_LONG = """
#include <cstdio>
#include <ctime>
int main() {
    for (volatile int i = 0; clock() < 0.8 * CLOCKS_PER_SEC; ++i) {}
    puts("PASS");
}
"""


@pytest.mark.parametrize(
    ("patience", "own"), [(0, "not within 0.4 s"), (0.5, "not within 0.5 s"), (60, "fast build, ")]
)
def test_patience_is_for_the_own_pass_alone(run_long: RunLong, patience: float, own: str) -> None:
    result = run_long(_LONG, "", limit=0.4, patience=patience)
    assert (result.verdict, result.build) == ("limit", "fast") and result.own.startswith(own)


def test_a_program_with_a_finding_that_is_stopped_may_pass_in_the_fast_build(run_long: RunLong) -> None:
    racy = _LONG_IF_CHECKED_WHOLE.replace("    if (*getenv", "    PREPARED if (*getenv")
    prepared = "int* other; cudaMalloc(&other, 4); cudaMemset(other, 0, 4); add<<<2, 1>>>(other);"
    result = run_long(racy.replace("PREPARED", prepared), "-DADD='*sum += 1' -DEXPECTED=1000", limit=1)
    assert (result.verdict, result.build, result.why) == ("failed", "checked", "findings: race_global")
    assert result.own.startswith("fast build, ")


@pytest.mark.parametrize(
    ("runs", "own"),
    [
        ([ran("PASS", 0, "race_global")], True),  # a finding says nothing of the program's own test
        ([ran("PASS"), ran("PASS", None)], False),
        ([ran("PASS\nFAIL")], False),
        ([ran("done")], False),
        ([], False),
    ],
)
def test_an_own_pass_is_the_programs_own_judgement(runs: list[Ended], own: bool) -> None:
    assert hecbench.RULES.own_pass(runs) == own
    assert hecbench.RULES.in_the_fast_build(runs).startswith("fast build") == own


def test_a_command_is_killed_with_its_children(tmp_path: Path) -> None:
    ended = run_limited(["bash", "-c", "echo begun; sleep 60 & echo $! > child; wait"], tmp_path, 1)
    assert (ended.status, ended.output, ended.stopped) == (None, "begun\n", "1 s")
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)  # until it is reaped
    state = Path(f"/proc/{child}/stat").read_text().split()[2]
    assert state == "Z", "it has ended"


@pytest.mark.parametrize(
    ("script", "limit", "stopped"),
    [
        ("while :; do :; done & wait", 0.5, True),  # a child's time counts
        ("sleep 1.5", 0.5, False),  # by the clock it may take longer
        ("sleep 60", 0.1, True),  # but not for ever
    ],
)
def test_a_limit_is_of_processor_time(tmp_path: Path, script: str, limit: float, stopped: bool) -> None:
    ended = run_limited(["bash", "-c", script], tmp_path, limit)
    assert (ended.status is None) == stopped


def test_a_program_that_takes_too_much_memory_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkouts, "MEMORY_LIMIT", 0.1)
    for gib, stopped in ((0.01, ""), (0.2, "0.1 GiB")):
        script = f"import time; taken = bytearray(int({gib} * 2**30)); time.sleep(2)"
        ended = run_limited(["bash", "-c", f"{sys.executable} -c '{script}'; true"], tmp_path, 60)
        assert (ended.status is None, ended.stopped) == (bool(stopped), stopped)


def test_seconds_are_of_all_processes(tmp_path: Path) -> None:
    loop = f"{sys.executable} -c 'import time\nwhile time.process_time() < 0.3: pass'"
    ended = run_limited(["bash", "-c", f"{loop}; {loop}; sleep 1"], tmp_path, 60)
    assert ended.status == 0 and ended.seconds > 0.6


def test_the_findings_of_all_processes_are_collected(tmp_path: Path) -> None:
    line = '{"kind": "race_global", "module": "", "pc": 0}'
    script = f"for i in 1 2; do echo '{line}' > $CUSIMT_FINDINGS/$i.jsonl; done; exit 3"
    ended = run_limited(["bash", "-c", script], tmp_path, 60)
    assert (ended.status, ended.kinds) == (3, frozenset({"race_global"}))


def test_results_keep_the_order_of_their_items() -> None:
    assert in_scratch(lambda item, folder: (item, any(folder.iterdir())), [3, 1, 2], 2) == [
        (3, False),
        (1, False),
        (2, False),
    ]


def test_tests_are_counted_as_pytest_counts_them(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\n@pytest.mark.skip\ndef test_c(): pass\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--junitxml=it.xml",
        "test_it.py",
    ]
    run_limited(command, tmp_path, 60)
    assert Counter(extension_repositories._counts(tmp_path / "it.xml")) == Counter(
        passed=1, failed=1, skipped=1
    )
    assert extension_repositories._counts(tmp_path / "none.xml") == []


def test_a_saved_result_is_of_the_same_entry(tmp_path: Path) -> None:
    extension = Extension("owner/name", "0" * 40, ("python test.py",))
    result = Result(extension, 2.0, Counter(passed=3, failed=1), frozenset({"race_global"}), "", "abc")
    result.save(tmp_path)
    assert saved(extension, tmp_path) == result
    assert saved(Extension("owner/name", "1" * 40, ("python test.py",)), tmp_path) is None


def test_a_record_is_a_merge_of_runs() -> None:
    first, second, third = extension_repositories.extensions()[:3]
    old = [
        Row.of(Result(first, 2.0, Counter(passed=3, failed=1), frozenset({"race_global"}), "", 1, "abc")),
        Row.of(Result(second, 1.0, failure="x.cu:1:2: error: no", simulator="abc")),
    ]
    text = extension_repositories.summary(old)
    assert "| 2            | 1     | 0           | 3      | 1      | 0       | 75.0 % |" in text
    assert recorded(f"# Title\n\n- date: today\n\n{text}\n") == old
    assert "1 of its commands took more than" in old[0].note and "error: no" in old[1].note
    new = [
        Row.of(Result(third, 1.0, Counter(passed=1), simulator="def")),
        Row.of(Result(second, 1.0, Counter(passed=9, failed=1), simulator="def")),
    ]
    both = merged(old, new)
    assert [each.cells[-1] for each in both] == ["abc", "def", "def"]
    text = extension_repositories.summary(both)
    assert "| 3            | 3     | 2           | 13     | 2      | 0       | 86.7 % |" in text


def test_no_rounding_hides_a_failure() -> None:
    (first, *_) = extension_repositories.extensions()
    text = extension_repositories.summary([Row.of(Result(first, 1.0, Counter(passed=9999, failed=1)))])
    assert "| 9999   | 1      | 0       | 99.9 % |" in text


def test_a_clone_that_lacks_files_will_do_for_the_others(tmp_path: Path) -> None:
    origin = tmp_path / "checkouts" / "name"
    for folder in ("a", "b"):
        (origin / folder).mkdir(parents=True)
        (origin / folder / "file").write_text(folder)

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        command = ["git", "-C", str(origin), *who, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "both")
    lost = git("rev-parse", "HEAD:b/file")
    (origin / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    extension = Extension("o/name", git("rev-parse", "HEAD"), ("grep -q a a/file",), build="true")
    (scratch := tmp_path / "scratch").mkdir()
    result = extension_repositories.run(extension, tmp_path / "checkouts", scratch, None)
    assert (result.counts, result.failure) == (Counter(passed=1), "")


def test_a_reason_names_no_path_of_the_machine() -> None:
    failed = ran("begun\n/home/me/lib/site-packages/torch/A.h:5:2: error: a | b\n", 1)
    assert extension_repositories._why(failed) == "torch/A.h:5:2: error: a / b"


def test_every_listed_repository_says_what_to_run() -> None:
    listed = extension_repositories.extensions()
    assert len(listed) >= 25 and len({each.name for each in listed}) == len(listed)
    for each in listed:
        assert len(each.commit) == 40 and each.tests, each.name
        assert "sed" not in each.build or each.deviation, f"{each.name} is changed without a reason"
