"""Reads a trace of trace.py: how much of each named span is spent in operators. python gaps.py [FILE]"""

import json
import sys
from pathlib import Path

SPANS = ("prepare", "forward", "backward")


def shares(file: str) -> dict[str, float]:
    """Of each span's time on the host, the part during which at least one operator was running."""
    events = [each for each in json.loads(Path(file).read_text())["traceEvents"] if each.get("ph") == "X"]
    spans = [each for each in events if each.get("cat") == "user_annotation" and each["name"] in SPANS]
    operators = [each for each in events if each.get("cat") == "cpu_op"]
    return {name: _share([each for each in spans if each["name"] == name], operators) for name in SPANS}


def _share(spans: list[dict], operators: list[dict]) -> float:
    return sum(_covered(span, operators) for span in spans) / sum(span["dur"] for span in spans)


# --8<-- [start:covered]
def _covered(span: dict, operators: list[dict]) -> float:
    """Microseconds of the span within some operator; nested operators count once."""
    begin, end = span["ts"], span["ts"] + span["dur"]
    covered, reached = 0.0, begin
    for operator in sorted(operators, key=lambda each: each["ts"]):
        start, stop = max(operator["ts"], reached), min(operator["ts"] + operator["dur"], end)
        if stop > start:
            covered, reached = covered + stop - start, stop
    return covered


# --8<-- [end:covered]


if __name__ == "__main__":
    for name, share in shares(*(sys.argv[1:] or ["trace.json"])).items():
        print(f"{name}: {share:.0%} of its time in operators")
