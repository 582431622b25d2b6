"""A library that ends the worker while it is loaded: what was thrown is told, in PyTorch's words."""

from __future__ import annotations

from grader.checks.load_crashes import MOST_LINES, uncaught, uncaught_exception
from grader.run.failures import WorkerCrashed
from grader.verdict import Status

STACK = """Exception raised from checkSchema at aten/src/ATen/core/dispatch/OperatorEntry.cpp:98 (most
frame #0: c10::Error::Error + 0x9d (0x7ecfbef79b8d in libc10.so)

Fatal Python error: Aborted
"""
UNFIT = f"""something printed before
terminate called after throwing an instance of 'c10::Error'
  what():  Inferred operator schema doesn't match the expected function schema.
  operator: own::f
    registered at /somewhere/binding.cpp:78
  inferred schema: (Tensor _0) -> Tensor _0
    registered at /somewhere/binding.cpp:85
  reason: The number of arguments is different. 2 vs 1.
{STACK}"""
UNREADABLE = """terminate called after throwing an instance of 'std::runtime_error'
  what():  expected arrow but found '-' here:
f(Tensor x) - Tensor
            ~ <--- HERE

Fatal Python error: Aborted
"""
ANOTHER = """terminate called after throwing an instance of 'std::out_of_range'
  what():  map::at
Fatal Python error: Aborted
"""


def crash(printed: str) -> WorkerCrashed:
    failure = WorkerCrashed("loading", signal="SIGABRT", where="op.py:9")
    failure.printed = printed
    return failure


def test_a_kernel_that_does_not_fit_its_schema() -> None:
    outcome = uncaught(crash(UNFIT))
    assert outcome is not None
    assert (outcome.status, outcome.topic) == (Status.BUILD_ERROR, "load")
    assert outcome.sentence == (
        "It compiles, but PyTorch refused a registration in binding.cpp:85: "
        "Inferred operator schema doesn't match the expected function schema."
    )
    assert outcome.lines[-1] == "  reason: The number of arguments is different. 2 vs 1."


def test_a_schema_that_cannot_be_read_keeps_the_mark_below_the_place() -> None:
    outcome = uncaught(crash(UNREADABLE))
    assert outcome is not None
    assert outcome.status is Status.BUILD_ERROR
    assert outcome.sentence.endswith("PyTorch refused a registration: expected arrow but found '-' here:")
    assert outcome.lines == ("f(Tensor x) - Tensor", "            ~ <--- HERE")


def test_a_schema_without_a_result_has_no_character_to_point_at() -> None:
    printed = (
        "terminate called after throwing an instance of 'std::runtime_error'\n"
        "  what():  expected arrow but found 'eof' here:\nf(Tensor x)\n\nFatal Python error: Aborted\n"
    )
    outcome = uncaught(crash(printed))
    assert outcome is not None
    assert outcome.status is Status.BUILD_ERROR
    assert "a schema ends too early. It is `name(Type argument, ...) -> Type`" in outcome.sentence
    assert outcome.lines == ("f(Tensor x)",)


def test_any_other_exception_is_a_crash_that_is_named() -> None:
    outcome = uncaught(crash(ANOTHER))
    assert outcome is not None
    assert outcome.status is Status.CRASH
    assert "while loading at op.py:9. std::out_of_range was thrown: map::at. An exc" in (outcome.sentence)


def test_without_last_words_nothing_is_made_up() -> None:
    assert uncaught(crash("")) is None
    assert uncaught(crash("Fatal Python error: Segmentation fault\n")) is None
    assert uncaught_exception("terminate called after throwing an instance of 'int'\n") is None


def test_a_long_message_is_kept_short() -> None:
    printed = "terminate called after throwing an instance of 'E'\n  what():  a\n" + "b\n" * 500
    told = uncaught_exception(printed)
    assert told is not None
    assert (told.first, len(told.rest)) == ("a", MOST_LINES)
