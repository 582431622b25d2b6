// Hands a program of NVRTC to the compiler and takes its answers, through files of a folder.
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "nvrtc_programs.h"

namespace simt {

namespace {
namespace fs = std::filesystem;

constexpr char kCompiler[] = "cusimt-nvrtc";  // of the simulated toolkit, whose programs are on PATH

class Folder {
  public:
    Folder() {
        std::error_code error;
        std::string pattern = (fs::temp_directory_path(error) / "cusimt-nvrtc-XXXXXX").string();
        if (mkdtemp(pattern.data())) path_ = pattern;
    }
    ~Folder() {
        std::error_code error;
        if (!path_.empty()) fs::remove_all(path_, error);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    bool exists() const { return !path_.empty(); }
    std::string path() const { return path_.string(); }

    void write(const char* name, const std::string& text) const { std::ofstream(path_ / name, std::ios::binary) << text; }
    // Each with a NUL behind it.
    void write(const char* name, const std::vector<std::string>& texts) const {
        std::string joined;
        for (const std::string& each : texts) joined.append(each).push_back('\0');
        write(name, joined);
    }
    std::string read(const char* name) const {
        std::ifstream in(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

  private:
    fs::path path_;
};

void write_request(const Folder& folder, const _nvrtcProgram& program, const std::vector<std::string>& options) {
    folder.write("source", program.source);
    folder.write("name", program.name);
    folder.write("options", options);
    folder.write("headers", program.headers);
    folder.write("include_names", program.include_names);
    folder.write("expressions", program.expressions);
}

// The exit status, or -1 and why there is none.
int run(const Folder& folder, std::string* why) {
    std::string path = folder.path(), program = kCompiler;
    char* arguments[] = {program.data(), path.data(), nullptr};
    pid_t child;
    if (int error = posix_spawnp(&child, kCompiler, nullptr, nullptr, arguments, environ)) {
        *why = std::string(kCompiler) + ": " + strerror(error) +
               ". The compiler of the simulated NVRTC is on PATH where cusimt runs a program: python -m cusimt -- ./program";
        return -1;
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno == EINTR) continue;
        *why = std::string(kCompiler) + ": its end was not seen: " + strerror(errno);
        return -1;
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    *why = std::string(kCompiler) + " was ended by signal " + std::to_string(WTERMSIG(status));
    return -1;
}

void take_lowered_names(_nvrtcProgram& program, const std::string& names) {
    program.lowered.clear();
    const char* name = names.c_str();
    for (const std::string& expression : program.expressions) {
        program.lowered[expression] = name;
        name += strlen(name) + 1;
    }
}
}  // namespace

nvrtcResult compile(_nvrtcProgram& program, const std::vector<std::string>& options) {
    Folder folder;
    program.is_compiled = false;
    program.ptx.clear();
    program.cubin.clear();
    if (!folder.exists()) {
        program.log = std::string("nvrtc: error: no temporary folder can be made: ") + strerror(errno) + "\n";
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    write_request(folder, program, options);
    std::string why;
    int status = run(folder, &why);
    program.log = folder.read("log");
    if (status < 0) program.log += "nvrtc: error: " + why + "\n";
    if (status < 0) return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    if (status > NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED) return NVRTC_ERROR_INTERNAL_ERROR;
    if (status != NVRTC_SUCCESS) return static_cast<nvrtcResult>(status);
    program.is_compiled = true;
    program.ptx = folder.read("ptx");
    program.cubin = folder.read("cubin");
    take_lowered_names(program, folder.read("lowered"));
    return NVRTC_SUCCESS;
}

}  // namespace simt
