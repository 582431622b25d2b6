"""The files of an attack are submissions: none of them is a test of this repository."""

collect_ignore = ["attacks"]
