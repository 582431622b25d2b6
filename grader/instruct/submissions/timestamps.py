"""``timestamp.txt`` beside a submission, as nbgrader writes it: ``2026-10-01 17:30:00.123456 UTC``."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

NAME = "timestamp.txt"
LONGEST = 200  # bytes of the file that are read
_AHEAD = {"UTC": UTC, "GMT": UTC, "Z": UTC}


def written(moment: datetime) -> str:
    """``moment`` (aware) in nbgrader's format, in UTC.

    Without a final newline, since nbgrader takes all that follows the second space for the zone.
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")


def read(text: str) -> datetime:
    """The moment that ``text`` names, in UTC; without a zone it is meant so, as nbgrader has it.

    Raises ValueError for anything else: a deadline depends on it, so nothing is guessed.
    """
    try:
        return _read(text).astimezone(UTC)
    except OverflowError as problem:  # the first or the last day of all, in some other zone
        raise ValueError(f"{text.strip()[:60]!r} is out of range") from problem


def _read(text: str) -> datetime:
    words = text.split()
    if len(words) not in (1, 2, 3):
        raise ValueError(f"{text.strip()[:60]!r} is no date and time")
    moment = datetime.fromisoformat("T".join(words[:2]))
    zone = words[2] if len(words) == 3 else ""
    if moment.tzinfo is not None:
        if zone:
            raise ValueError(f"{text.strip()[:60]!r} names two time zones")
        return moment
    return moment.replace(tzinfo=_zone(zone) if zone else UTC)


def with_time(text: str) -> datetime:
    """The date and time in ISO 8601. Raises ValueError, also for a date alone: that would be its midnight,
    and who writes one means its end.
    """
    try:
        date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)
    raise ValueError(f"{text!r} has no time of the day")


def aware(moment: datetime, zone: tzinfo | None) -> datetime:
    """``moment`` as it is where it has a zone; else taken as local time in ``zone``, or on this machine."""
    if moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=zone) if zone else moment.astimezone()


def _zone(name: str) -> timezone | ZoneInfo:
    if name in _AHEAD:
        return _AHEAD[name]
    if name[0] in "+-":
        offset = datetime.strptime(name, "%z").utcoffset()
        return timezone(offset or timedelta())
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as problem:
        raise ValueError(f"{name[:40]!r} is no time zone known here") from problem
