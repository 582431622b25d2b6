"""Python's own names: they compute with the values they are given, and reach for nothing by a string."""

from __future__ import annotations

from grader.audit.lists import group, merged, words

BUILTINS = {
    "values": group(
        "make and convert values",
        "bool bytearray bytes complex dict float frozenset int list object range set slice str tuple",
    ),
    "functions": group(
        "compute with what they are given",
        "abs all any ascii bin callable chr divmod enumerate filter format hash hex id iter len map max min "
        "next oct ord pow repr reversed round sorted sum zip",
    ),
    "output": group("what is printed is shown beside the verdict", "print"),
    "classes": group(
        "define classes and ask for them; `type` has a rule of its own",
        "classmethod isinstance issubclass property staticmethod super type",
    ),
    "constants": group("constants", "Ellipsis False None NotImplemented True"),
    "errors": group(
        "are raised to refuse bad input, and caught",
        "ArithmeticError AssertionError AttributeError BaseException DeprecationWarning Exception "
        "FloatingPointError FutureWarning ImportError IndexError KeyError LookupError MemoryError "
        "ModuleNotFoundError NameError NotImplementedError OSError OverflowError RecursionError "
        "RuntimeError RuntimeWarning StopIteration SystemExit TimeoutError TypeError UserWarning ValueError "
        "Warning ZeroDivisionError",
    ),
}
NAMES = merged(BUILTINS)

# What gives a place its meaning for the audit: a class of PyTorch's stands in brackets after `tuple`, or
# after `isinstance(x, `. So these names keep their meaning everywhere in a file.
FIXED = words("dict frozenset isinstance issubclass list object property set staticmethod super tuple type")
GENERICS = frozenset(("dict", "frozenset", "list", "set", "tuple", "type"))

# Names between double underscores. Python calls these methods when an object is used as their names say; the
# others decide what an attribute, a class, a pattern or an import is.
METHODS = {
    "life": group("begin an object", "__init__ __post_init__"),
    "use": group("a call, and a `with` statement", "__call__ __enter__ __exit__"),
    "text": group("what is printed for it", "__repr__ __str__"),
    "container": group(
        "a container",
        "__contains__ __delitem__ __getitem__ __iter__ __len__ __missing__ __next__ __reversed__ __setitem__",
    ),
    "comparison": group("equal, and in order", "__bool__ __eq__ __ge__ __gt__ __hash__ __le__ __lt__ __ne__"),
    "arithmetic": group(
        "sums and products",
        "__abs__ __add__ __and__ __ceil__ __complex__ __divmod__ __float__ __floor__ __floordiv__ "
        "__iadd__ __imul__ "
        "__index__ __int__ __invert__ __isub__ __itruediv__ __lshift__ __matmul__ __mod__ __mul__ __neg__ "
        "__or__ __pos__ __pow__ __radd__ __rfloordiv__ __rmatmul__ __rmod__ __rmul__ __round__ __rpow__ "
        "__rshift__ __rsub__ __rtruediv__ __sub__ __truediv__ __trunc__ __xor__",
    ),
}
METHOD_NAMES = merged(METHODS)
LABELS = frozenset((
    "__all__", "__author__", "__constants__", "__debug__", "__doc__", "__name__", "__slots__", "__version__",
))  # fmt: skip
LABELS_OF_OBJECTS = frozenset(("__doc__", "__name__", "__qualname__"))  # texts that anything may be asked for

# The replacement, in a sentence, for the names that submissions use most often.
_SOURCES = 'The sources are found by their names alone: grader.load("name", ["kernel.cu", "binding.cpp"]).'
INSTEAD = {
    "getattr": "Write the attribute's name in the code: x.name.",
    "setattr": "Write the attribute's name in the code: self.name = value.",
    "hasattr": "Ask for the type with isinstance, or write the attribute's name in the code.",
    "eval": "Write the expression itself.",
    "exec": "Write the code itself.",
    "open": "A submission computes from its arguments; put constants into the code.",
    "globals": "Name what is meant.",
    "type": "Ask with isinstance(x, ...), or with type(x) is ..., and call a class by its name.",
    "input": "A submission gets its values as arguments.",
    "__class__": "Write type(x).__name__ for the name, and call a class by its name.",
    "__file__": _SOURCES,
    "os": _SOURCES,
    "pathlib": _SOURCES,
    "torch.library": "Write torch.library.register_fake(...), or import the function by its name.",
    "torch.utils.cpp_extension": _SOURCES,
    "copy": "A tensor has clone(), a list or dict has copy(), a dataclass has dataclasses.replace.",
    "types.SimpleNamespace": "A dataclass or a dict holds values by name.",
    "distutils": "setuptools has the same names.",
    "setuptools.command.build_ext": "torch.utils.cpp_extension has BuildExtension for cmdclass.",
    "subprocess": "What another program would say is written down here.",
    "sys.stderr": "What print(...) prints is shown beside the verdict.",
    "sys.stdout": "What print(...) prints is shown beside the verdict.",
    "pytest.main": "The grader runs the suite; in a shell, `python -m pytest test_op.py` does.",
    "time": "Events time the device: torch.cuda.Event(enable_timing=True).",
    "warnings": "Let a warning pass: what counts is what a call returns or raises.",
    "inspect": "Write down what the function takes.",
    "traceback": "Let the exception pass: the verdict shows it. `raise ... from error` adds a sentence.",
    "unittest": "Write functions, or classes without a base, whose names begin with test, and plain assert.",
    "torch.compile": "The grader compiles your operator itself where an exercise asks for it.",
    "torch.utils.benchmark": "Measure in a loop, with torch.cuda.Event or time.perf_counter.",
}
