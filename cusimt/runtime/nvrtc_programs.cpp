// The interface of NVRTC. Its answers, also to wrong arguments, are those of NVRTC 13.0.
#include "nvrtc_programs.h"

#include <string.h>

#include <algorithm>
#include <memory>
#include <mutex>

namespace {
std::mutex programs_lock;
// Never destroyed: other threads outlive the program's end.
auto& programs = *new std::vector<std::unique_ptr<_nvrtcProgram>>;

constexpr int kArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

bool is_program(nvrtcProgram program) {
    std::lock_guard lock(programs_lock);
    return std::any_of(programs.begin(), programs.end(), [=](const auto& each) { return each.get() == program; });
}

nvrtcResult refuse(nvrtcProgram program, bool has_arguments) {
    if (!is_program(program)) return NVRTC_ERROR_INVALID_PROGRAM;
    return has_arguments ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_INPUT;
}

// Texts are given with their NUL.
nvrtcResult give_size(nvrtcProgram program, const std::string _nvrtcProgram::* text, size_t* bytes) {
    if (nvrtcResult refused = refuse(program, bytes)) return refused;
    *bytes = (program->*text).size() + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult give(nvrtcProgram program, const std::string _nvrtcProgram::* text, char* room) {
    if (nvrtcResult refused = refuse(program, room)) return refused;
    memcpy(room, (program->*text).c_str(), (program->*text).size() + 1);
    return NVRTC_SUCCESS;
}

std::vector<std::string> listed(const char* const* texts, int count) { return {texts, texts + count}; }

bool has_null(const char* const* texts, int count) {
    return count && (!texts || std::find(texts, texts + count, nullptr) != texts + count);
}
}  // namespace

extern "C" {
const char* nvrtcGetErrorString(nvrtcResult result) {
    static const char* const names[] = {
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "NVRTC_ERROR_INTERNAL_ERROR",
        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
        "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
        "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
        "NVRTC_ERROR_PCH_CREATE",
        "NVRTC_ERROR_CANCELLED",
        "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
    };
    auto number = static_cast<size_t>(result);
    return number < std::size(names) ? names[number] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    if (!count) return NVRTC_ERROR_INVALID_INPUT;
    *count = int(std::size(kArchitectures));
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
    if (!architectures) return NVRTC_ERROR_INVALID_INPUT;
    std::copy(std::begin(kArchitectures), std::end(kArchitectures), architectures);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int header_count,
                               const char* const* headers, const char* const* include_names) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!source || header_count < 0) return NVRTC_ERROR_INVALID_INPUT;
    if (has_null(headers, header_count) || has_null(include_names, header_count)) return NVRTC_ERROR_INVALID_INPUT;
    auto made = std::make_unique<_nvrtcProgram>();
    made->source = source;
    made->name = name && *name ? name : "default_program";
    made->headers = listed(headers, header_count);
    made->include_names = listed(include_names, header_count);
    std::lock_guard lock(programs_lock);
    programs.push_back(std::move(made));
    *program = programs.back().get();
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    if (!program || !is_program(*program)) return NVRTC_ERROR_INVALID_PROGRAM;
    std::lock_guard lock(programs_lock);
    std::erase_if(programs, [=](const auto& each) { return each.get() == *program; });
    *program = nullptr;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char* const* options) {
    if (nvrtcResult refused = refuse(program, option_count >= 0)) return refused;
    if (has_null(options, option_count)) return NVRTC_ERROR_INVALID_OPTION;
    return simt::compile(*program, listed(options, option_count));
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* bytes) { return give_size(program, &_nvrtcProgram::ptx, bytes); }
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* image) { return give(program, &_nvrtcProgram::ptx, image); }

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) {
    if (nvrtcResult refused = refuse(program, bytes)) return refused;
    *bytes = program->cubin.empty() ? 0 : program->cubin.size() + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) {
    if (nvrtcResult refused = refuse(program, image)) return refused;
    return program->cubin.empty() ? NVRTC_SUCCESS : give(program, &_nvrtcProgram::cubin, image);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes) {
    return give_size(program, &_nvrtcProgram::log, bytes);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) { return give(program, &_nvrtcProgram::log, log); }

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
    if (nvrtcResult refused = refuse(program, expression)) return refused;
    if (program->is_compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    auto& all = program->expressions;
    if (std::find(all.begin(), all.end(), expression) == all.end()) all.push_back(expression);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** lowered) {
    if (nvrtcResult refused = refuse(program, expression && lowered)) return refused;
    if (!program->is_compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    auto found = program->lowered.find(expression);
    if (found == program->lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *lowered = found->second.c_str();
    return NVRTC_SUCCESS;
}
}
