// A module that the driver's API loads: what its library says of itself meanwhile, on the thread that loads it.
#pragma once
#include <string>
#include <vector>

#include "simt/module_kernel.h"
#include "simt_api.h"

namespace simt {

// The library is a copy of `file`, by whose name everything else is to know it: each load has variables of its own, and the
// loader loads one file once.
struct LoadingModule {
    std::string file;
    void* handle = nullptr;         // null: `error` says why
    simt_module* module = nullptr;  // null for a library without device code
    std::vector<simt_module_kernel> kernels{};
    std::string error{};
};
LoadingModule load_module(const std::string& file);

// A library registers itself: if it is the one that is being loaded, it gets the file's name.
void note_loaded(simt_module& module);

}  // namespace simt
