#include "library_refusals.h"

namespace simt {

namespace {
thread_local std::string refusal;  // of the latest call that can explain one; "" if it was not refused
}

void explain_refusal(const std::string& why) { refusal = why; }

const char* with_refusal(const char* status) {
    static thread_local std::string text;
    text = refusal.empty() ? status : status + (" (" + refusal + ")");
    refusal.clear();
    return text.c_str();
}

}  // namespace simt
