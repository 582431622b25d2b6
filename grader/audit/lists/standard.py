"""The standard library's modules that op.py may import, and the names of each."""

from __future__ import annotations

from grader.audit.lists import every, group

STANDARD = {
    "__future__": every("says how Python reads the file"),
    "abc": group("base classes of one's own", "ABC abstractmethod"),
    "bisect": every("places in a sorted list"),
    "cmath": every("functions of complex numbers"),
    "collections": group("containers", "Counter OrderedDict defaultdict deque namedtuple"),
    "collections.abc": every("abstract classes for annotations and isinstance"),
    "contextlib": group(
        "with statements",
        "AbstractContextManager ContextDecorator ExitStack closing contextmanager nullcontext suppress",
    ),
    "dataclasses": group("classes of values", "KW_ONLY InitVar asdict astuple dataclass field replace"),
    "enum": group(
        "named constants; the classes as bases only", "Enum Flag IntEnum IntFlag StrEnum auto unique"
    ),
    "functools": group(
        "caches and partial calls; `wraps` as a decorator with one argument",
        "cache cached_property cmp_to_key lru_cache partial reduce total_ordering wraps",
    ),
    "decimal": group("exact numbers", "Decimal"),
    "fractions": group("exact numbers", "Fraction"),
    "gc": group("leaves the collector out of a measurement", "collect disable enable isenabled"),
    "heapq": every("queues in a list"),
    "itertools": every("iterators over what they are given"),
    "logging": group(
        "messages to the standard error; nothing that opens files or configures others' loggers",
        "CRITICAL DEBUG ERROR INFO NOTSET WARNING NullHandler debug error getLogger info warning",
    ),
    "math": every("functions of numbers"),
    "numbers": group("classes of numbers", "Complex Integral Number Real"),
    "operator": group(
        "operators as functions; not those that take the name of an attribute as a string",
        "abs add and_ concat contains eq floordiv ge getitem gt index inv invert is_ is_not itemgetter le "
        "lshift lt matmul mod mul ne neg not_ or_ pos pow rshift sub truediv truth xor",
    ),
    "random": group(
        "random numbers; the grader draws its own elsewhere",
        "Random choice choices gauss randint random randrange sample seed shuffle uniform",
    ),
    "statistics": group(
        "statistics of measurements",
        "fmean geometric_mean harmonic_mean mean median median_high median_low mode pstdev pvariance "
        "quantiles stdev variance",
    ),
    "string": group("letters and digits", "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits"),
    "struct": group("the bytes of numbers", "calcsize pack unpack"),
    "sys": group(
        "what this Python is; not its modules, frames and streams",
        "byteorder float_info implementation int_info maxsize platform version version_info",
    ),
    "textwrap": group("long texts", "dedent fill indent wrap"),
    "threading": group("locks around a cache; no threads", "Lock RLock local"),
    "time": group("clocks", "monotonic monotonic_ns perf_counter perf_counter_ns process_time sleep time"),
    "timeit": group("the clock alone: a Timer runs texts", "default_timer"),
    "types": group(
        "a type of `__exit__`, and tables that stay as they are; nothing that makes functions or classes",
        "MappingProxyType TracebackType",
    ),
    "typing": group(
        "annotations; nothing that evaluates one",
        "AbstractSet Annotated Any AnyStr Awaitable Callable ClassVar Collection Concatenate Container "
        "ContextManager Counter DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable "
        "ItemsView Iterable Iterator KeysView List Literal LiteralString Mapping MutableMapping "
        "MutableSequence MutableSet NamedTuple Never NewType NoReturn NotRequired "
        "Optional OrderedDict ParamSpec Protocol Required Reversible Self Sequence Set Sized SupportsAbs "
        "SupportsComplex SupportsFloat SupportsIndex SupportsRound Text ValuesView "
        "SupportsInt TYPE_CHECKING Tuple Type TypeAlias TypeGuard TypeVar TypeVarTuple TypedDict "
        "Union Unpack "
        "assert_never assert_type cast final get_args overload reveal_type runtime_checkable",
    ),
    "typing_extensions": group(
        "annotations for older releases of Python",
        "Annotated Literal Never NotRequired ParamSpec Protocol Required Self TypeAlias TypeVarTuple Unpack "
        "assert_never override",
    ),
    "warnings": group("warnings", "catch_warnings filterwarnings simplefilter warn"),
}
