// naive: full marks; the lines below count as a library's. refused by: spelling. says: reads like a directive
const char* text = R"(
# 1 "/usr/include/stdlib.h" 1 3
)";
extern "C" void simt_reset();
