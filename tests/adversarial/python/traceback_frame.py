# An exception's traceback leads to frames.
# A naive grader gives full marks. Refused here: reads the attribute `__traceback__`
try:
    1 / 0
except ZeroDivisionError as error:
    frame = error.__traceback__.tb_frame
