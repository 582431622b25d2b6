"""The standard library's modules that op.py may import, and the names of each."""

from __future__ import annotations

from grader.audit.lists import every, group

STANDARD = {
    "__future__": every("says how Python reads the file"),
    "abc": group("base classes of one's own", "ABC abstractmethod"),
    "cmath": every("functions of complex numbers"),
    "collections": group("containers", "Counter OrderedDict defaultdict deque namedtuple"),
    "collections.abc": every("abstract classes for annotations and isinstance"),
    "contextlib": group(
        "with statements", "AbstractContextManager ExitStack closing contextmanager nullcontext suppress"
    ),
    "dataclasses": group("classes of values", "KW_ONLY InitVar asdict astuple dataclass field replace"),
    "enum": group(
        "named constants; the classes as bases only", "Enum Flag IntEnum IntFlag StrEnum auto unique"
    ),
    "functools": group(
        "caches and partial calls; `wraps` as a decorator with one argument",
        "cache cached_property lru_cache partial reduce wraps",
    ),
    "itertools": every("iterators over what they are given"),
    "math": every("functions of numbers"),
    "numbers": group("classes of numbers", "Complex Integral Number Real"),
    "operator": group(
        "operators as functions; not those that take the name of an attribute as a string",
        "add eq floordiv ge getitem gt itemgetter le lt matmul mul ne neg pow sub truediv",
    ),
    "statistics": group("statistics of measurements", "fmean geometric_mean mean median quantiles stdev"),
    "time": group("clocks", "monotonic monotonic_ns perf_counter perf_counter_ns process_time sleep time"),
    "typing": group(
        "annotations; nothing that evaluates one",
        "Annotated Any Callable ClassVar Concatenate Dict Final Generic Iterable Iterator List Literal "
        "Mapping NamedTuple NewType NoReturn Optional ParamSpec Protocol Self Sequence Tuple Type "
        "TYPE_CHECKING TypeAlias TypedDict TypeGuard TypeVar Union assert_never cast final overload",
    ),
    "warnings": group("warnings", "catch_warnings filterwarnings simplefilter warn"),
}
