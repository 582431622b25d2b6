import grader.run.inside.simt_tracing as tracing
