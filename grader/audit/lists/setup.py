"""What setup.py may use: the names that declare what is built, and those that look for its files.

What is left out starts programs, writes files or changes how setuptools and torch build.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.audit.lists import Group, every, group, words
from grader.audit.lists.attributes import ATTRIBUTES
from grader.audit.lists.standard import STANDARD

PATTERNS = group(
    "patterns in texts",
    "ASCII DOTALL IGNORECASE M MULTILINE VERBOSE compile escape findall finditer fullmatch match search "
    "split sub",
)
SETUP: Mapping[str, Group] = {
    "__future__": every("says how Python reads the file"),
    "glob": group("names of files", "glob iglob"),
    "itertools": STANDARD["itertools"],
    "json": group("reads text", "loads"),
    "os": group("the environment", "cpu_count environ fspath getenv name pathsep sep"),
    "os.path": group(
        "names of files",
        "abspath basename commonpath dirname exists expanduser getsize isabs isdir isfile join normpath "
        "realpath relpath sep split splitext",
    ),
    "packaging.version": group("compares versions", "InvalidVersion Version parse"),
    "pathlib": group("names of files", "Path PurePath PurePosixPath"),
    "platform": group("what this machine is", "machine python_version release system"),
    "re": PATTERNS,
    "setuptools": group("what is built", "Extension find_namespace_packages find_packages setup"),
    "shlex": group("texts of flags", "quote split"),
    "shutil": group("where a program is", "which"),
    "sys": group("what this Python is", "argv byteorder maxsize platform version version_info"),
    "sysconfig": group("what this Python is", "get_config_var get_path get_platform"),
    "textwrap": STANDARD["textwrap"],
    "tomllib": group("reads text", "loads"),
    "torch": group("its version", "__version__"),
    "torch.cuda": group(
        "what GPUs there are", "device_count get_arch_list get_device_capability is_available"
    ),
    "torch.utils.cpp_extension": group(
        "what is built",
        "BuildExtension CUDAExtension CUDA_HOME CppExtension IS_WINDOWS ROCM_HOME include_paths "
        "library_paths",
    ),
    "torch.version": group("versions, as texts", "cuda hip"),
    "typing": STANDARD["typing"],
    "warnings": group("warnings", "warn"),
}

_PATHS = (
    "absolute anchor as_posix cwd exists glob is_absolute is_dir is_file is_relative_to iterdir "
    "joinpath match name "
    "parent parents parts read_text relative_to resolve rglob stem suffix suffixes with_name "
    "with_stem with_suffix"
)
OF_SETUP = {
    "paths": group("names of files, and reading one", _PATHS),
    "files": group("reading a file", "read readline readlines"),
    "patterns": group(
        "what a pattern has found", "end group groupdict groups span start string sub findall search"
    ),
    "versions": group("parts of a version", "base_version local major micro minor public release"),
    "extensions": group(
        "an extension that was declared",
        "define_macros extra_compile_args extra_link_args include_dirs language libraries "
        "library_dirs sources "
        "undef_macros",
    ),
    "lists": group("lists", "append extend"),
    "commands": group("options of the command that builds", "with_options"),
}
_SHARED = ("containers", "texts", "numbers", "errors")
SETUP_ATTRIBUTES = words(
    " ".join(
        " ".join(each.names or ()) for each in (*OF_SETUP.values(), *(ATTRIBUTES[name] for name in _SHARED))
    )
)
