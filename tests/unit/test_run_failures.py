"""An abort is explained by what was printed before it, and by nothing that was not."""

from __future__ import annotations

import pytest

from grader.run.failures import WorkerCrashed, WorkerTimeout, said

FAILED = "binding.cpp:45: void {anonymous}::launch(int64_t): Assertion `n > 0' failed"
STACK = "Fatal Python error: Aborted\n\nCurrent thread 0x0001 (most recent call first):\n  File worker.py\n"
GUESS = (
    "That is abort(), a failed assert, or an exception that left a destructor, a thread or a noexcept "
    "function."
)


def crash(printed: str, signal: str = "SIGABRT") -> WorkerCrashed:
    failure = WorkerCrashed("calling `scale`", signal=signal)
    failure.printed = printed
    return failure


def test_a_failed_assert_is_quoted_without_the_name_of_the_program() -> None:
    rule = crash(f"n = 3\npython3.11: {FAILED}.\n{STACK}").rule
    assert rule == f"{FAILED}. An assert ends the whole program: report bad input as an exception."


def test_the_assertions_of_the_standard_library_are_quoted_too() -> None:
    line = "/usr/include/c++/13/bits/stl_vector.h:1125: operator[]: Assertion '__n < this->size()' failed."
    assert crash(line).rule.startswith(line)


@pytest.mark.parametrize("printed", ["", "n = 3\n", STACK])
def test_an_abort_that_said_nothing_may_be_any(printed: str) -> None:
    assert crash(printed).rule == GUESS


def test_an_exception_is_blamed_where_one_was_thrown() -> None:
    assert crash("terminate called after throwing an instance of 'int'\n").rule.startswith(
        "An exception must"
    )


def test_other_signals_have_their_own_rules() -> None:
    assert crash(FAILED, "SIGSEGV").rule.startswith("Host code may only touch host memory")


def test_the_stack_of_the_interpreter_is_not_what_was_said() -> None:
    assert said(crash(f"n = 3\n{STACK}")) == "n = 3"
    assert said(crash(STACK)) == ""


def test_the_next_command_promises_what_it_does() -> None:
    assert WorkerTimeout("calling `scale`", 30).next == crash("").next
    assert "--verbose" not in crash("").next
