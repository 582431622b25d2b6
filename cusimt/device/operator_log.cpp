// The log of operators and copies on the simulated device, as JSON lines.
#include "operator_log.h"

#include <cstdint>
#include <mutex>
#include <string>

namespace cusimt::device {
namespace {

// A program whose log is never taken (python -m cusimt) must not fill memory with it.
constexpr int64_t kMostLines = 1 << 16;

struct OperatorLog {
    std::mutex mutex;
    std::string lines;
    std::string taken;
    int64_t kept = 0;
    int64_t dropped = 0;

    void add(const std::string& line) {
        std::lock_guard<std::mutex> lock(mutex);
        if (kept == kMostLines) {
            ++dropped;
            return;
        }
        ++kept;
        lines += line;
    }

    const char* take() {
        std::lock_guard<std::mutex> lock(mutex);
        taken.swap(lines);
        if (dropped > 0) {
            taken += "{\"dropped\":" + std::to_string(dropped) + "}\n";
        }
        lines.clear();
        kept = dropped = 0;
        return taken.c_str();
    }
};

OperatorLog& operator_log() {
    static auto* log = new OperatorLog;  // never destroyed: operators may run while the process ends
    return *log;
}

std::string opening(std::string_view name) { return "{\"operator\":\"" + std::string(name) + "\""; }

}  // namespace

void log_operator(std::string_view name, c10::DeviceIndex device) {
    operator_log().add(opening(name) + ",\"device\":" + std::to_string(device) + "}\n");
}

void log_copy(std::string_view name, c10::Device from, c10::Device to, size_t bytes, bool converts) {
    const char* direction = from.is_cpu() ? "h2d" : to.is_cpu() ? "d2h" : "d2d";
    operator_log().add(opening(name) + ",\"copy\":\"" + direction + "\",\"bytes\":" + std::to_string(bytes) + ",\"from\":\"" +
                       from.str() + "\",\"to\":\"" + to.str() + "\",\"converts\":" + (converts ? "true" : "false") + "}\n");
}

}  // namespace cusimt::device

// JSON lines since the last call, in memory that stays valid until the next call.
extern "C" const char* simt_take_operators() { return cusimt::device::operator_log().take(); }
