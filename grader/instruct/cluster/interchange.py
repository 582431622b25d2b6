"""End a run that no retry can help: Parsl's interchange died, or no block starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.support.errors import InfrastructureError

_LINES = 8  # of what failing blocks printed

if TYPE_CHECKING:
    from parsl.dataflow.dflow import DataFlowKernel


def require_interchanges(kernel: DataFlowKernel) -> None:
    """Raises InfrastructureError where an executor's interchange has ended: Parsl would wait for ever."""
    for executor in kernel.executors.values():
        process = getattr(executor, "interchange_proc", None)
        if process is not None and process.poll() is not None:
            raise InfrastructureError(
                f"The process that hands out work for [{executor.label}] ended with code {process.poll()}.",
                "What was graded before is kept, and the blocks end by themselves.",
                "Run the same command again.",
            )


def no_block_starts(error: Exception) -> InfrastructureError:
    """What the last blocks printed, once Parsl has given up on them."""
    said = dict.fromkeys(line.strip() for line in str(error).splitlines()[1:])  # each line once, in order
    words = [line for line in said if line and not line.startswith("Error ")]
    return InfrastructureError(
        "The last blocks failed, one after the other: "
        + (" / ".join(words[-_LINES:]) or "they said nothing"),
        "It counts against no student, and finished grades are kept.",
        "Correct cluster.toml (setup, partition, options), then run the same command again.",
    )


def abandon(kernel: DataFlowKernel) -> None:
    """Give the blocks back, and leave Parsl's own ending out: it would ask the interchange."""
    kernel.config.exit_mode = "skip"
    for executor in kernel.executors.values():
        provider = getattr(executor, "provider", None)
        blocks = getattr(executor, "blocks_to_job_id", {})
        if provider is not None and blocks:
            provider.cancel(list(blocks.values()))
