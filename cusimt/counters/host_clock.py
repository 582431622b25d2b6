"""The host's simulated time: what a wall clock would show if a GPU executed the work.

The runtime keeps one time for the host and one for each stream. A launch costs the host a few microseconds,
waiting for the device lasts until the device is done, and everything else takes no time. So this clock
measures the same times on every machine, however busy.
"""

from __future__ import annotations

from cusimt.activate import driver

__all__ = ["HostClock"]

_SPAN_MS = 100.0  # the runtime's differences have the precision of a float: short ones are exact


class HostClock:
    """Reads and advances the simulated time of the host. Needs the active device."""

    def __init__(self) -> None:
        self._driver = driver()
        # Never given work that outlasts the host: an event recorded on it has the host's own time.
        self._idle = self._driver.simt_stream_create(0, 0)
        self._mark = self._recorded()
        self._marked_at = 0.0  # milliseconds

    def seconds(self) -> float:
        """Since this clock was made. Reading it takes a microsecond."""
        now = self._recorded()
        passed = self._driver.elapsed_milliseconds(self._mark, now)
        time = self._marked_at + passed
        if passed > _SPAN_MS:
            self._driver.simt_event_destroy(self._mark)
            self._mark, self._marked_at = now, time
        else:
            self._driver.simt_event_destroy(now)
        return time / 1e3

    def work(self, microseconds: float) -> None:
        """The host is busy for that long; streams go on meanwhile."""
        self._driver.simt_stream_work(self._idle, microseconds)
        self._driver.simt_stream_synchronize(self._idle)

    def _recorded(self) -> int:
        event = int(self._driver.simt_event_create(0))
        self._driver.simt_event_record(event, self._idle)
        return event
