// Loads a copy of a module's library.
#include "module_loading.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <filesystem>

namespace simt {

namespace {
thread_local LoadingModule* loading = nullptr;

// An empty file that is gone with its object: the loader maps what it has read.
class TemporaryFile {
  public:
    TemporaryFile() {
        std::error_code error;
        path_ = (std::filesystem::temp_directory_path(error) / "cusimt-module-XXXXXX").string();
        int descriptor = mkstemp(path_.data());
        if (descriptor >= 0) close(descriptor);
    }
    ~TemporaryFile() { unlink(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};
}  // namespace

LoadingModule load_module(const std::string& file) {
    LoadingModule loaded{file};
    TemporaryFile copy;
    std::error_code error;
    std::filesystem::copy_file(file, copy.path(), std::filesystem::copy_options::overwrite_existing, error);
    if (error) {
        loaded.error = file + " cannot be copied to " + copy.path() + ": " + error.message();
        return loaded;
    }
    loading = &loaded;
    loaded.handle = dlopen(copy.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    loading = nullptr;
    if (!loaded.handle) loaded.error = dlerror();
    return loaded;
}

void note_loaded(simt_module& module) {
    if (!loading) return;
    loading->module = &module;
    module.path = strdup(loading->file.c_str());  // kept for the life of the process: findings may outlive the library
}

}  // namespace simt

extern "C" void simt_announce_module_kernel(const simt_module_kernel* kernel) {
    if (simt::loading) simt::loading->kernels.push_back(*kernel);
}
