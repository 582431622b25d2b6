// Why a library refused a call: its status is one word for many mistakes.
#include "library_refusals.h"

#include <string>

namespace simt {

namespace {
thread_local std::string refusal;
}

void explain_refusal(const std::string& why) { refusal = why; }

}  // namespace simt

extern "C" const char* simt_take_library_refusal(void) {
    static thread_local std::string taken;
    taken.clear();
    taken.swap(simt::refusal);
    return taken.c_str();
}
