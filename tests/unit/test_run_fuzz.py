"""What a worker sends is a reply, or is refused by a sentence of its own: never a failure of the grader."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import fuzz_messages
from grader.run import connection, failures, records, replies, wire
from grader.run.connection import Connection
from grader.run.wire import WireError

ROOT = Path(__file__).resolve().parents[2]
_WRITERS = {  # the functions of the runtime that write a finding
    "finding": "void write(const Finding& finding, std::string& out) {",
    "other": "std::string other_json(const Finding& finding) {",
}


@pytest.mark.slow("reads thousands of messages")
@pytest.mark.parametrize("seed", [13, 14, 15, 16, 17])
def test_twenty_thousand_messages_are_read_or_refused_by_name(seed: int) -> None:
    found = fuzz_messages.fuzz(20_000, seed=seed)
    assert found.surprises == []
    assert found.read > 2_000, "most of what was exchanged does not matter to a reader"
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


def test_every_field_that_the_runtime_writes_of_a_finding_is_known() -> None:
    source = (ROOT / "cusimt/runtime/findings.cpp").read_text(encoding="utf-8")
    bodies = {name: source.partition(head)[2].partition("\n}\n")[0] for name, head in _WRITERS.items()}
    written = {name: set(re.findall(r'\.\w+\("(\w+)",', body)) for name, body in bodies.items()}
    assert {"kind", "note", "schedule"} <= written["finding"] and {"block", "thread"} <= written["other"]
    assert written["finding"] <= fields(records._Finding) and written["other"] <= fields(records._Party)


def fields(form: type) -> set[str]:
    return set(form.__required_keys__) | set(form.__optional_keys__)  # type: ignore[attr-defined]


def test_one_of_several_threads_in_another_order_is_a_finding() -> None:
    other = {"pc": 1, "access": "write", "block": None, "thread": None}
    found = {"kind": "race_global", "other": other, "schedule": "reverse"}
    assert records.findings([found]) == (found,)
