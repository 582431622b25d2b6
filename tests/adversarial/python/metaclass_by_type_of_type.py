# `type(int)` is `type`, which makes classes of strings.
# A naive grader gives full marks. Refused here: uses `type` as a value
Late = type(int)("Late", (), {"__array_interface__": {"data": (1 << 40, False)}})
