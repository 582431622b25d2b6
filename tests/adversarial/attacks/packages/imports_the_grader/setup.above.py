import grader
