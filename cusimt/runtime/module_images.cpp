// Tells images apart.
#include "module_images.h"

#include <string.h>
#include <unistd.h>

#include <string_view>

namespace simt {

namespace {
// The first line of what cusimt/compiler/nvrtc_image.py writes, and what stands before the library's path.
constexpr std::string_view kOurs = "// cusimt module image 1: ";
constexpr std::string_view kLibrary = "\n// library: ";

constexpr char kCompileHere[] =
    "The simulated GPU runs kernels as host code: compile their source in the program with NVRTC, or put it into a .cu file.";

bool begins(const char* image, std::string_view prefix) { return strncmp(image, prefix.data(), prefix.size()) == 0; }

ModuleImage refused(CUresult error, std::string what) { return {error, std::move(what) + " " + kCompileHere}; }

bool is_ptx(const char* text) {
    const char* version = strstr(text, ".version");
    return version && strstr(version, ".target");
}

ModuleImage read_ours(const char* text) {
    const char* path = strstr(text, kLibrary.data());
    if (!path) return refused(CUDA_ERROR_INVALID_IMAGE, "This image of cusimt is damaged.");
    path += kLibrary.size();
    std::string library(path, strcspn(path, "\n"));
    if (access(library.c_str(), R_OK) == 0) return {.library = library};
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "The device code of this image was in " + library +
                                              ", and is gone. An image is valid as long as the cache of the machine that "
                                              "compiled it keeps the code: compile the program again."};
}
}  // namespace

ModuleImage read_image(const char* image) {
    if (begins(image, kOurs)) return read_ours(image);
    if (begins(image, "\177ELF")) return refused(CUDA_ERROR_NO_BINARY_FOR_GPU, "This image is a cubin, machine code of a GPU.");
    if (begins(image, "\x50\xed\x55\xba") || begins(image, "\xb1\x43\x62\x46")) {
        return refused(CUDA_ERROR_NO_BINARY_FOR_GPU, "This image is a fat binary, with code for GPUs.");
    }
    if (is_ptx(image)) return refused(CUDA_ERROR_INVALID_PTX, "This image is PTX.");
    return refused(CUDA_ERROR_INVALID_IMAGE, "This is no image of a module.");
}

}  // namespace simt
