# A file that does not parse, so that an audit that skips it has no objection.
# A naive grader gives full marks. Refused here: is not valid Python: SyntaxError: invalid syntax
def f(:
    pass
