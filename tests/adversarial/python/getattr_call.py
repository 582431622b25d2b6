# An attribute by a string put together.
# A naive grader gives full marks. Refused here: uses `getattr`
found = getattr(torch, "o" + "s")
