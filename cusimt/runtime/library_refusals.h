// Why a library refused a call: its status is one word for many mistakes. What turns the status into a sentence, such as
// cublasGetStatusString, has the reason in it.
#pragma once
#include <string>

namespace simt {

// Of the calling thread's latest call; "" when a call begins. `why` names the argument, its value and the rule.
void explain_refusal(const std::string& why);

// What a call returns that is refused for this reason.
template <class Status>
Status refuse(Status status, const std::string& why) {
    explain_refusal(why);
    return status;
}

// The status of that call, with the reason if there is one and nothing has asked for it. Stays until the thread asks again.
const char* with_refusal(const char* status);

}  // namespace simt
