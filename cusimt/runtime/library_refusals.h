// Why a library refused a call, in words, for the message of the macro that checks its status (ATen/cuda/Exceptions.h).
#pragma once
#include <string>

#include "simt_api.h"

namespace simt {

// Of the calling thread's latest call; "" when a call begins. `why` names the argument, its value and the rule.
void explain_refusal(const std::string& why);

}  // namespace simt
