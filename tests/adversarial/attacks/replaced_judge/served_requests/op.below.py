grader.run.worker.serve(1, 2)
