# A name of one's own is deleted: then it is Python's again.
# A naive grader gives full marks. Refused here: uses `eval`
eval = 1
del eval
eval("1")
