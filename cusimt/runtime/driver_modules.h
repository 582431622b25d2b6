// Modules of the driver API and their kernels. A launch looks its kernel up and runs under the launch lock, and so does what takes
// a module out of the table: no kernel of a module runs any more when its library is unloaded, which happens without a lock.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cuda.h"
#include "simt/module_kernel.h"

// A kernel: CUfunction and CUkernel are the same here.
struct CUfunc_st {
    CUmodule module;
    std::string symbol;  // as the linker knows it: the name to ask for
    simt_module_kernel kernel;
};

struct CUmod_st {
    void* handle;
    simt_module* library;
    CUcontext context;  // null: of a CUlibrary, for all contexts
    std::map<std::string, CUfunc_st> functions{};
    size_t kernels = 0;  // without further names of one kernel
};

namespace simt {

// Loads an image or a file; `log` gets the reason for a refusal, which is also printed under the name of the call.
CUresult load(CUmodule* module, const char* call, const char* image, CUcontext context, std::string* log = nullptr);
CUresult load_file(CUmodule* module, const char* call, const char* file, CUcontext context);
CUresult unload(CUmodule module);
void unload_modules_of(CUcontext context);

// With the launch lock held, else the answer may be wrong when it arrives.
bool is_module(CUmodule module);
bool is_function(CUfunction function);
CUresult find_function(CUfunction* function, CUmodule module, const char* name);
CUresult find_variable(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name);

}  // namespace simt
