from grader.run import wire
