extern "C" const char* simt_take_findings();
const char* forget() { return simt_take_findings(); }
