"""Findings: errors that the runtime (C++) detected in a program, as values and as sentences.

    for finding in findings.take():          # of this process; or symbolise(records of another process)
        print(findings.explain(finding))

The modules in data-flow order: `symboliser` turns the runtime's records into the values of `model`, with
source lines; `hazards` orders the two accesses of a race within a block; `rules` and `sentences` word them.
"""

from cusimt.findings.model import SAMPLED, SUSPICIONS, UNCHECKED, Allocation, Finding, Party, Tensor
from cusimt.findings.rules import KINDS, rule
from cusimt.findings.sentences import explain, sentence
from cusimt.findings.symboliser import symbolise, take, take_raw
from cusimt.records.source_lines import Frame

__all__ = [
    "KINDS",
    "SAMPLED",
    "SUSPICIONS",
    "UNCHECKED",
    "Allocation",
    "Finding",
    "Frame",
    "Party",
    "Tensor",
    "explain",
    "rule",
    "sentence",
    "symbolise",
    "take",
    "take_raw",
]
