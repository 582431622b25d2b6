// Programs of NVRTC: sources that the running program hands over, and what the compiler made of them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "nvrtc.h"

struct _nvrtcProgram {
    std::string source, name;
    std::vector<std::string> headers{}, include_names{};
    std::vector<std::string> expressions{};  // in order, each once
    bool is_compiled = false;
    std::string log{}, ptx{}, cubin{};             // no cubin for a virtual architecture
    std::map<std::string, std::string> lowered{};  // names by expression
};

namespace simt {

// Runs the compiler, cusimt/compiler/nvrtc.py, in a process of its own, and takes its answers.
nvrtcResult compile(_nvrtcProgram& program, const std::vector<std::string>& options);

}  // namespace simt
