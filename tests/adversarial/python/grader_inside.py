# The grader's own modules.
# A naive grader gives full marks. Refused here: imports `grader.run.wire`
from grader.run import wire
