"""`python -m grader` is `grader`."""

from grader.cli import run

if __name__ == "__main__":
    run()
