"""Submissions that speak on the worker's connection or tamper with the shared memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from cusimt.tests.waiting import wait_for
from grader.run import OutputFlood, ProtocolViolation, WorkerTimeout
from tests.adversarial.submissions import Load, arg, assert_serves, load, zygote

__all__ = ["load", "zygote"]

# Finds the worker's connection (the only socket it has) and can speak the grader's language on it.
KIT = """
import ctypes, mmap, os, socket, struct, sys, threading, time
from grader.run import wire

def descriptors(kind):
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if kind in os.readlink(f"/proc/self/fd/{name}"):
                found.append(int(name))
        except FileNotFoundError:
            pass  # the one that listed the folder
    return found

def connection():
    return descriptors("socket:")[0]

def segments():
    return descriptors("cu2grad-segment")

def speak(datagram):
    os.write(connection(), datagram)

def forge(**fields):
    "Make the next reply's header say this."
    pack = wire.Header.pack
    wire.Header.pack = lambda header: pack(header._replace(**fields))

def say(text):
    "Make this the next reply's text."
    text = text if isinstance(text, bytes) else text.encode()
    sys.modules["grader.run.worker"].encode_text = lambda document: text

def forge_record(**fields):
    pack = wire.TensorRecord.pack
    wire.TensorRecord.pack = lambda record: pack(record._replace(**fields))
"""


def _assert_refused(load: Load, body: str, sentence: str) -> None:
    """An entry that runs ``body`` first ends in this violation, and the next request is served."""
    session = load(KIT + "\ndef entry(a):\n    " + body.replace("\n", "\n    ") + "\n    return 2 * a\n")
    with pytest.raises(ProtocolViolation, match=sentence):
        session.call("entry", [arg(1.0, 2.0, 3.0)], seconds=10.0)
    assert_serves(session)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("speak(b'x')", "sent a message of 1 bytes or more"),
        ("speak(os.urandom(wire.HEADER_BYTES))", "not one of the grader's"),
        ("speak(bytes(100))", "where every message has 40"),
        ("speak(b'c2gW' + bytes(36))", "not one of the grader's"),
        ("speak(wire.Header(wire.Kind.REPLY, 1).pack())", "answered a request that was not made"),
        ("speak(wire.Header(wire.Kind.CALL, 3).pack())", "does not belong here"),
        ("speak(wire.Header(wire.Kind.GROW, 3, 2**62).pack())", "does not belong here"),
        ("speak(wire.Header(wire.Kind.GROW, 3, 1).pack())", "does not belong here"),
        ("forge(request=77)", "answered a request that was not made"),
        ("forge(kind=99)", "unknown kind 99"),
        ("forge(tensors=2**31)", "announced 2147483648 tensors"),
        ("forge(text_bytes=2**31)", "bytes of text where at most"),
        ("forge(payload_bytes=2**60)", "announced more bytes than its shared memory holds"),
        ("forge(payload_bytes=10**6)", "announced more bytes than its tensors have"),
        ("forge(payload_bytes=0)", "are outside the message"),
        ("forge(text_bytes=3)", "sent text that is not JSON"),
        ("forge(text_bytes=0)", "sent text that is not JSON"),
        ("forge(tensors=0)", "announced more bytes than its tensors have"),
        ("forge(detail=2**40)", "named a graph that cannot be"),
        ("forge_record(sizes=(2**40,))", "announced 24 bytes for a tensor that has"),
        ("forge_record(sizes=(-1,))", "announced a tensor with a negative size"),
        ("forge_record(sizes=(2**62, 0, 2**62), strides=(1, 1, 1), nbytes=0)", "announced"),
        ("forge_record(dtype='float32')", "announced 24 bytes for a tensor that has 12"),
        ("forge_record(offset=2**50)", "overlap another's or are outside"),
        ("forge_record(nbytes=2**50)", "overlap another's or are outside"),
        ("forge_record(flags=64)", "announced a tensor with unknown flags"),
        ("forge_record(storage_offset=-5)", "announced a tensor with a negative size"),
    ],
)
def test_a_forged_message_is_refused(load: Load, body: str, sentence: str) -> None:
    _assert_refused(load, body, sentence)


_ONE = '"outputs": [{"kind": "tensor", "record": 0}]'
_LAUNCH = '{"kernel": "k", "grid": [1], "block": [1, 1, 1]}'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("'[1]'", "not a JSON object"),
        ("'[' * 100000", "not JSON"),
        ("'{\"outputs\": ' + '9' * 10000 + '}'", "not JSON"),
        ("'{\"outputs\": NaN}'", "not JSON"),
        ("b'\\xff\\xfe'", "not JSON"),
        ("'{\"outputs\": 3}'", "field `outputs` must be a list, not 3"),
        ("'{\"outputs\": []}'", "tensors that belong to no output"),
        ("'{\"outputs\": [{\"kind\": \"tensor\", \"record\": 7}]}'", "do not match its tensors"),
        ("'{\"outputs\": [{\"kind\": \"spell\"}]}'", "kind` must be one of .*, not 'spell'"),
        (f"'{{{_ONE}, \"trace\": {{\"findings\": [1]}}}}'", "field `trace.findings.0.` must be a table"),
        (f"'{{{_ONE}, \"trace\": {{\"counts\": [{{}}]}}}}'", "sent malformed counts: `"),
        (f"'{{{_ONE}, \"trace\": {{\"placed\": [{{\"name\": \"x\"}}]}}}}'", "placed.0..base` is missing"),
        (f"'{{{_ONE}, \"error\": {{\"type\": 1}}}}'", "field `error.message` is missing"),
        (f"'{{{_ONE}, \"trace\": {{\"launches\": [{_LAUNCH}]}}}}'", "launches.0..grid` must be a list of 3"),
        ("'{\"a\": ' * 50 + '\"\\\\u0007\"' + '}' * 50", "nested too deeply"),
    ],
)  # fmt: skip
def test_a_forged_text_is_refused(load: Load, text: str, sentence: str) -> None:
    body = f"say({text})"
    _assert_refused(load, body, sentence)


def test_two_tensors_cannot_share_bytes(load: Load) -> None:
    session = load(KIT + "\ndef entry(a):\n    forge_record(offset=0)\n    return a, a\n")
    with pytest.raises(ProtocolViolation, match="overlap another's"):
        session.call("entry", [arg(1.0)])
    assert_serves(session)


def test_after_a_forgery_an_honest_request_works(load: Load) -> None:
    session = load(KIT + "\ndef entry():\n    speak(b'x')\n")
    with pytest.raises(ProtocolViolation, match="While calling `entry`, the worker sent"):
        session.call("entry", [])
    assert_serves(session)


def test_a_message_between_requests_is_refused(load: Load, tmp_path: Path) -> None:
    session = load(
        KIT
        + """
def speak_when_asked():
    while not os.path.exists("ask"):
        time.sleep(0.01)
    speak(wire.Header(wire.Kind.REPLY, 4).pack())
    open("spoken", "w").close()

def entry():
    threading.Thread(target=speak_when_asked, daemon=True).start()
"""
    )
    session.call("entry", [])
    (tmp_path / "ask").touch()
    wait_for(tmp_path / "spoken")
    with pytest.raises(ProtocolViolation, match="sent an unrequested message"):
        session.call("double", [arg(1.0)])
    assert_serves(session)


def test_shared_memory_cannot_be_shrunk_or_grown(load: Load) -> None:
    session = load(
        KIT
        + """
def entry(a):
    refused = []
    for fd in segments():
        for nbytes in (0, 2**24 + 4096):
            try:
                os.ftruncate(fd, nbytes)
            except OSError as error:
                refused.append(error)
    return 2 * a, len(refused)
"""
    )
    reply = session.call("entry", [arg(1.0, 4.0)])
    assert reply.outputs[0].tensor is not None
    assert reply.outputs[0].tensor.tolist() == [2.0, 8.0]
    assert reply.outputs[1].value == 4  # two segments, two ways


def test_a_hole_in_the_shared_memory_is_zeros(load: Load) -> None:
    session = load(
        KIT
        + """
def entry():
    def punch():
        for fd in segments():
            ctypes.CDLL(None).fallocate(fd, 3, ctypes.c_long(0), ctypes.c_long(2**24))
    send = wire.Header.pack
    wire.Header.pack = lambda header: (punch(), send(header))[1]
"""
    )
    with pytest.raises(ProtocolViolation, match="not JSON"):
        session.call("entry", [])
    assert_serves(session)


def test_a_descriptor_sent_to_the_parent_is_not_taken(load: Load) -> None:
    session = load(
        KIT
        + """
def entry():
    ours = socket.socket(fileno=os.dup(connection()))
    for _ in range(3):
        socket.send_fds(ours, [b"x"], [0, 1, 2])
"""
    )
    with pytest.raises(ProtocolViolation, match="1 bytes or more"):
        session.call("entry", [])
    assert_serves(session)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("os.closerange(3, 4096)", "closed its connection to the grader"),
        ("os.close(connection())\n    while True: time.sleep(1)", "closed its connection .* went on running"),
        ("socket.socket(fileno=connection()).shutdown(2)", "closed its connection"),
    ],
)
def test_a_closed_connection_is_told(load: Load, body: str, sentence: str) -> None:
    session = load(KIT + f"\ndef entry():\n    {body}\n")
    with pytest.raises(ProtocolViolation, match=sentence):
        session.call("entry", [])
    assert_serves(session)


def test_a_child_that_holds_the_connection_does_not_hide_the_crash(load: Load) -> None:
    session = load(
        KIT + "\ndef entry():\n    if os.fork() == 0: time.sleep(1000)\n    os.kill(os.getpid(), 11)\n"
    )
    with pytest.raises(Exception, match="crashed with SIGSEGV while calling `entry`"):
        session.call("entry", [], seconds=10.0)
    assert_serves(session)


def test_a_flood_of_printing_stops_the_submission(load: Load) -> None:
    session = load("def entry():\n    while True:\n        print('x' * 10**6)\n")
    with pytest.raises(OutputFlood, match="printed more than 8 MiB while calling `entry`"):
        session.call("entry", [])
    assert_serves(session)


def test_a_flood_from_c_and_to_stderr_counts_too(load: Load) -> None:
    session = load("import os\ndef entry():\n    while True:\n        os.write(2, b'y' * 65536)\n")
    with pytest.raises(OutputFlood):
        session.call("entry", [])
    assert_serves(session)


def test_long_output_is_kept_short(load: Load) -> None:
    session = load("def entry():\n    print('first')\n    print('x' * 4 * 10**6)\n    print('last')\n")
    reply = session.call("entry", [])
    assert reply.printed.startswith("first\n")
    assert reply.printed.endswith("last\n")
    assert "bytes left out" in reply.printed
    assert len(reply.printed) < 70_000


def test_output_belongs_to_the_request_that_printed_it(load: Load) -> None:
    session = load(KIT + "\ndef entry(n):\n    print('call', n)\n    ctypes.CDLL(None).puts(b'from C')\n")
    assert session.call("entry", [1]).printed == "call 1\nfrom C\n"
    assert session.call("entry", [2]).printed == "call 2\nfrom C\n"
    assert session.call("double", [arg(1.0)]).printed == ""


def test_terminal_escapes_do_not_reach_the_reader(load: Load) -> None:
    session = load(r"""
def entry():
    print("\x1b[2Jgone\x9b")
    raise ValueError("\x1b]0;title\x07 \ud800 fine")
""")
    reply = session.call("entry", [])
    assert reply.error is not None
    for text in (reply.printed, reply.error.message):
        assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in text), text
        text.encode()
    assert "fine" in reply.error.message


def test_closed_or_replaced_streams_do_no_harm(load: Load) -> None:
    session = load(KIT + "\ndef entry():\n    sys.stdout.close()\n    sys.stderr = None\n    os.close(1)\n")
    assert session.call("entry", []).error is None
    assert_serves(session)


def test_a_full_pipe_between_requests_does_not_block_anybody(load: Load) -> None:
    session = load(
        "import os, threading\ndef entry():\n"
        "    threading.Thread(target=lambda: os.write(1, b'z' * 3 * 10**6), daemon=True).start()\n"
    )
    session.call("entry", [])
    assert_serves(session)


def test_large_files_and_large_allocations_are_refused_inside(load: Load) -> None:
    session = load(
        """
        import torch
        def write():
            with open("big", "wb") as file:
                for _ in range(64):
                    file.write(bytes(2**20))
        def allocate():
            torch.empty(2**50, dtype=torch.uint8)
        """
    )
    written, allocated = session.call("write", []), session.call("allocate", [])
    assert written.error is not None and "File too large" in written.error.message
    assert allocated.error is not None and allocated.error.type == "RuntimeError"
    assert_serves(session)


def test_a_reply_that_is_too_large_is_refused_inside(load: Load) -> None:
    session = load(
        """
        import torch
        def many(): return [torch.ones(1) for _ in range(300)]
        def long(): return "x" * 10**8
        """
    )
    for entry in ("many", "long"):
        error = session.call(entry, []).error
        assert error is not None and error.type == "MessageTooLarge", entry
    assert_serves(session)


def test_a_hang_after_the_entry_returned_is_a_timeout(load: Load) -> None:
    session = load(
        """
        import sys, time
        class Slow:
            def flush(self): time.sleep(1000)
            def write(self, text): pass
        def entry(): sys.stdout = Slow()
        """
    )
    with pytest.raises(WorkerTimeout):
        session.call("entry", [], seconds=1.0)
    assert_serves(session)
