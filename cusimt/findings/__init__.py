"""What the simulated GPU found wrong with a program.

for finding in findings.take():          # of this process; or symbolise(what another process sent)
    print(findings.explain(finding))
"""

from cusimt.findings.model import SUSPICIONS, Allocation, Finding, Index, Party, Tensor
from cusimt.findings.rules import KINDS, rule
from cusimt.findings.symbolising import symbolise, take, take_raw
from cusimt.findings.words import explain, sentence
from cusimt.records.source_lines import Frame

__all__ = [
    "KINDS",
    "SUSPICIONS",
    "Allocation",
    "Finding",
    "Frame",
    "Index",
    "Party",
    "Tensor",
    "explain",
    "rule",
    "sentence",
    "symbolise",
    "take",
    "take_raw",
]
