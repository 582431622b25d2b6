"""What the runtime recorded about this process, in data-flow order.

- `runtime` takes the JSON records out of the runtime library.
- `launches` reads launch records as values.
- `source_lines` resolves instruction addresses to lines of the user's sources.
"""

from cusimt.records.launches import Dim3, Launch, launch_of, read_launches
from cusimt.records.runtime import Record, load_runtime, take_records
from cusimt.records.source_lines import NOWHERE, Frame, SourceReader, compiled_sources

__all__ = [
    "NOWHERE",
    "Dim3",
    "Frame",
    "Launch",
    "Record",
    "SourceReader",
    "compiled_sources",
    "launch_of",
    "load_runtime",
    "read_launches",
    "take_records",
]
