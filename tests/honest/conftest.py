"""The submissions are graded: a suite among them is no test of ours."""

collect_ignore = ["submissions"]
