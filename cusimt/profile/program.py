"""The profile of a whole program on the simulated device: printed when the program ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cusimt.profile.launch_profiles import launched
from cusimt.profile.model import Profile, Stage
from cusimt.profile.occupancy import simulated_device
from cusimt.support.errors import UsageError

NO_LAUNCH = (
    "cusimt: no kernel was launched, so there is nothing to profile. Counts are of kernels with access "
    "checks that run in this process; library operators of PyTorch are not kernels here."
)


@contextmanager
def profiled(title: str, file: Path | None = None) -> Iterator[None]:
    """Count the launches within the block, then print the profile to stderr and write `file`, if any.

    The simulated device must be active. A file that cannot be written is reported, not raised: the program's
    own end matters more.
    """
    from cusimt.counters import set_counting, take_counts
    from cusimt.records import take_records

    device = simulated_device()
    set_counting(True)
    try:
        yield
    finally:
        set_counting(False)
        counts = take_counts()
        # Recorded are also those without access checks, and those of which there were too many to keep their
        # counts; but others may have taken records away.
        recorded = max(len(counts), len(take_records("launches")))
        stage = Stage("", launched(counts, device, {}), launched=recorded)
        _report(Profile(title, device, (stage,)), file)


def _report(profile: Profile, file: Path | None) -> None:
    if not profile.stages[0].launches:
        print(NO_LAUNCH, file=sys.stderr)
        return
    from rich.console import Console

    from cusimt.profile.terminal import show_profile

    show_profile(profile, Console(stderr=True, highlight=False))
    if file is None:
        return
    from cusimt.profile.document import to_json
    from cusimt.profile.page import page
    from cusimt.support.renderings import write_rendering

    try:
        write_rendering(file, to_json(profile) if file.suffix == ".json" else page(profile), "profile")
    except UsageError as error:
        print(f"cusimt: {error}", file=sys.stderr)
    else:
        print(f"Written to {file}", file=sys.stderr)
