"""What to do when the process between Parsl's driver and its workers is gone: Parsl itself waits for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.errors import InfrastructureError

if TYPE_CHECKING:
    from parsl.dataflow.dflow import DataFlowKernel


def require_interchanges(kernel: DataFlowKernel) -> None:
    """Raises InfrastructureError where an executor's interchange has ended: no answer can come any more."""
    for executor in kernel.executors.values():
        process = getattr(executor, "interchange_proc", None)
        if process is not None and process.poll() is not None:
            raise InfrastructureError(
                f"The process that hands out work for [{executor.label}] ended with code {process.poll()}.",
                "What was graded before is kept, and the blocks end by themselves.",
                "Run the same command again.",
            )


def abandon(kernel: DataFlowKernel) -> None:
    """Give the blocks back, and leave Parsl's own ending out: it would ask the interchange."""
    kernel.config.exit_mode = "skip"
    for executor in kernel.executors.values():
        provider = getattr(executor, "provider", None)
        blocks = getattr(executor, "blocks_to_job_id", {})
        if provider is not None and blocks:
            provider.cancel(list(blocks.values()))
