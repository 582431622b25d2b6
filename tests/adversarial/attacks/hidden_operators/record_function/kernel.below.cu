namespace at { struct RecordFunctionCallback { char bytes[64]; };
unsigned long addGlobalCallback(RecordFunctionCallback); }
unsigned long watch() { return at::addGlobalCallback({}); }
