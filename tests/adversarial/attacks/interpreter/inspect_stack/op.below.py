import inspect
caller = inspect.stack()[1].frame
