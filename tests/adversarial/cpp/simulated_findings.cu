// naive: full marks; findings are gone before they are read. refused by: text. says: belongs to the simulated GPU
extern "C" const char* simt_take_findings();
const char* forget() { return simt_take_findings(); }
