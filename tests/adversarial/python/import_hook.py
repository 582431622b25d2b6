# Imports of the checker run the submission.
# A naive grader gives full marks. Refused here: imports `sys`
import sys
sys.meta_path.insert(0, None)
