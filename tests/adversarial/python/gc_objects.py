# The checker's objects.
# A naive grader gives full marks. Refused here: imports `gc`
import gc
found = gc.get_objects()
