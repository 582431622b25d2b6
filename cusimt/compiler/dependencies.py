"""The rules for make that nvcc writes with -M, -MM, -MD and -MMD: which files an object depends on."""

from __future__ import annotations

import sys
from pathlib import Path

from cusimt.compiler.include_paths import IncludePaths
from cusimt.compiler.nvcc_options import Options
from cusimt.compiler.sources import find_forced, tree

_FILE = "dependencies.d"


def rules_only(options: Options) -> bool:
    """Whether a rule is all that was asked for."""
    return options.has("--generate-dependencies") or options.has("--generate-nonsystem-dependencies")


def rule_flags(options: Options, target: str, scratch: Path) -> list[str]:
    """The host compiler's flags for the rule that was asked for; none where none was."""
    system = options.has("--generate-dependencies") or options.has("--generate-dependencies-with-compile")
    own = options.has("--generate-nonsystem-dependencies-with-compile") or rules_only(options)
    if not system and not own:
        return []
    scratch.mkdir(parents=True, exist_ok=True)
    named = options.last("--dependency-target-name") or target
    flag = "-MD" if system else "-MMD"
    flag = flag.removesuffix("D") if rules_only(options) else flag
    return [flag, "-MT", named, "-MF", str(scratch / _FILE)]


def listing_flags(scratch: Path) -> list[str]:
    """The host compiler's flags for a rule that only this backend reads."""
    return ["-MMD", "-MF", str(scratch / _FILE)]


def written_rule(scratch: Path) -> str:
    """The rule that the host compiler has written."""
    return (scratch / _FILE).read_text()


def finish_rule(options: Options, source: Path, paths: IncludePaths, target: str, scratch: Path) -> None:
    """Write the rule to where nvcc would, with the program's files in the place of their translations."""
    text = written_rule(scratch).replace(f"{scratch}/", f"{_mirrored_root(source, paths, options)}/")
    output = options.last("--dependency-output")
    if not output and rules_only(options):
        output = options.last("--output-file")
        if not output:
            sys.stdout.write(text)
            return
    Path(output or str(Path(target).with_suffix(".d"))).write_text(text)


def _mirrored_root(source: Path, paths: IncludePaths, options: Options) -> Path:
    forced = (find_forced(name, paths.own) for name in options.all("--pre-include"))
    present = [header for header in forced if header]
    return tree(source, paths.own, (*paths.libraries, *paths.system), present).root
