// Findings: the errors that the checked build and the scheduler detected. A finding is recorded once per place and kind; later
// occurrences only raise its count, so the report does not depend on how often a loop ran.
#pragma once
#include <stdint.h>

#include <optional>
#include <string>

#include "access_state.h"
#include "arena.h"
#include "vector_types.h"

namespace simt {

// The other thread of a race or of a divergent barrier.
struct Party {
    const void* call_site = nullptr;
    int access = 0;
    uint3 block{}, thread{};
    bool is_thread_unknown = false, is_block_unknown = false;  // it was one of several
};

// Two lanes of one warp that wrote different values with one instruction.
struct Lanes {
    unsigned one, other;
};

struct Report {
    const char* kind;
    const void* call_site = nullptr;  // return address in the module, or null
    int access = 0;                   // AccessKind bits
    uint64_t bytes = 0;
    uintptr_t address = 0;
    const char* space = nullptr;  // "global", "shared", "local", "host"
    std::optional<Allocation> allocation{};
    std::string array{};  // the __shared__ array of that name
    std::optional<Party> other{};
    std::optional<Lanes> lanes{};
    std::string note{};
    std::optional<uint3> block{}, thread{};  // default: the running thread
    bool is_left = false;                    // the stack of the access is no more: it cannot be walked
    const char* file = nullptr;              // default: the launch site
    int line = 0;
};

// Of the running thread, whose write is at `pc`, and of `other`, if they are one instruction of one warp.
std::optional<Lanes> lanes_of(const Party& other, unsigned other_thread, const void* pc);

void report(const Report& report);
// Whether accesses are reported, too, that the language calls a race and that nearly always do no harm (CUSIMT_STRICT=1).
bool is_strict();
// A launch has ended: only now is known which allocation it overran, and how often.
void settle_findings();
void forget_findings();

// JSON text in the buffer of one simt_take_* function.
class JsonLine {
  public:
    explicit JsonLine(std::string& out) : out_(out) { out_ += '{'; }
    ~JsonLine() { out_ += "}\n"; }
    JsonLine& text(const char* key, const char* value);  // null becomes null
    JsonLine& number(const char* key, double value);
    JsonLine& integer(const char* key, uint64_t value);
    JsonLine& triple(const char* key, uint3 value);
    JsonLine& raw(const char* key, const std::string& json);

  private:
    void name(const char* key);
    std::string& out_;
    bool first_ = true;
};

}  // namespace simt
