"""A learner's benchmark, judged by workloads whose times and memory are known."""
