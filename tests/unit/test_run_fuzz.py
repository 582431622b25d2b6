"""What a worker sends is a reply, or is refused by a sentence of its own: never a failure of the grader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import fuzz_messages
from grader.run import connection, failures, replies, wire
from grader.run.connection import Connection
from grader.run.wire import WireError

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow("reads a hundred thousand messages")
def test_a_hundred_thousand_messages_are_read_or_refused_by_name() -> None:
    found = fuzz_messages.fuzz(100_000, seed=13)
    assert found.surprises == []
    assert found.read > 10_000, "most of what was exchanged does not matter to a reader"
    assert len(found.refused) > 100, "and the rest is refused for many different reasons"


def test_a_million_were_read_before() -> None:
    recorded = json.loads((ROOT / fuzz_messages.RESULT).read_text())
    assert recorded["messages"] >= 1_000_000
    assert recorded["surprises"] == []
    assert recorded["read"] + recorded["refused"] == recorded["messages"]


def test_the_fuzzer_sees_a_check_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies.records, "findings", tuple)
    assert fuzz_messages.fuzz(3_000, seed=13).surprises


@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), KeyError("x"), TypeError("y")])
def test_an_error_of_reading_a_reply_is_the_senders(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(header: object, meta: object) -> None:
        raise error

    monkeypatch.setattr(connection.wire, "unpack_records", fails)
    parent = fuzz_messages._Parent()._connection
    assert isinstance(parent, Connection)
    with pytest.raises(WireError, match=f"cannot be read: it raises {type(error).__name__}"):
        parent._checked(wire.Header(wire.Kind.REPLY, 1), 0.0)


def test_the_sentence_names_the_worker() -> None:
    failure = failures.ProtocolViolation(failures.unreadable(MemoryError()), "calling `f`")
    assert failure.what == (
        "While calling `f`, the worker sent a reply that cannot be read: it raises MemoryError."
    )


def test_a_reply_holds_no_tensor_without_bytes() -> None:
    record = wire.TensorRecord("float32", "cpu", (2**40,), (1,), flags=wire.UNDEFINED)
    with pytest.raises(WireError, match="announced a tensor that is undefined"):
        wire.check_dense(record)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"trace": {"launches_total": 2**64}}, "field `trace.launches_total` must be a whole number"),
        (
            {"trace": {"findings": [{"kind": "trap", "allocation": {"base": 1}}]}},
            "sent a malformed finding: ",
        ),
        ({"trace": {"findings": [{"kind": "trap", "other": {"pc": 1}}]}}, "sent a malformed finding: "),
        ({"trace": {"findings": [{"kind": "trap", "block": [0, 0]}]}}, "sent a malformed finding: "),
        ({"trace": {"findings": [{"note": "x"}]}}, "sent a malformed finding: "),
        (
            {"trace": {"api_calls": [{"call": "x", "kind": "d2d", "bytes": [1]}]}},
            "sent a malformed runtime call: ",
        ),
        ({"trace": {"api_calls": [{"bytes": 1}]}}, "sent a malformed runtime call: "),
        *(
            (
                {"trace": {"api_calls": [{"call": "x", "kind": "d2d", **order}]}},
                "sent a malformed runtime call: ",
            )
            for order in ({"moment": [1]}, {"after": [1, 2]}, {"end_us": -1.0}, {"end_us": float("nan")})
        ),
    ],
)
def test_a_record_of_another_form_is_refused(document: dict[str, object], words: str) -> None:
    with pytest.raises(WireError, match=words):
        replies.trace(document)


def test_what_the_runtime_writes_of_a_copy_is_read() -> None:
    copy = {"call": "cudaMemcpy", "kind": "h2d", "bytes": 4, "waits": 1, "content": 2**63, "awaited": 1}
    order = {"moment": [-1, 2], "after": [[3, 1]], "queued_us": 0, "begin_us": 0, "end_us": 1.5}
    (call,) = replies.trace({"trace": {"api_calls": [copy | order]}}).api_calls
    assert call == copy | order
