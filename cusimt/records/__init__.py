"""What the runtime wrote down about this process: launches, and places in the code as lines of sources."""

from cusimt.records.launches import Launch, launch_of, read_launches
from cusimt.records.source_lines import NOWHERE, Frame, Quote, quoting_from, with_source
from cusimt.records.taking import runtime, take_records

__all__ = [
    "NOWHERE",
    "Frame",
    "Launch",
    "Quote",
    "launch_of",
    "quoting_from",
    "read_launches",
    "runtime",
    "take_records",
    "with_source",
]
