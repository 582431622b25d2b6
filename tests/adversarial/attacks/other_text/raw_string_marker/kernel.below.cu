const char* text = R"(
# 1 "/usr/include/stdlib.h" 1 3
)";
extern "C" void simt_reset();
