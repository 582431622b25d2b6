// Opens and closes the pages of device memory for the host.
#include "shield.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "arena.h"
#include "faults.h"
#include "findings.h"
#include "static_data.h"

namespace simt {

namespace {
std::recursive_mutex shield_lock;
std::atomic<bool> is_up{false};
int openers = 0;
std::atomic<bool> closed{false};                      // what the pages are
std::atomic<uintptr_t> pierced_at{0}, pierced_by{0};  // not yet reported: address, and the instruction behind it

// Whole pages, which are what can be closed. Only live memory: closing costs time for every page there is.
struct Pages {
    uintptr_t begin, end;
};
std::vector<Pages> closed_pages;

void protect(const Pages& pages, int protection) {
    mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, protection);
}

void open_pages() {
    for (const Pages& pages : closed_pages) protect(pages, PROT_READ | PROT_WRITE);
}

void close_pages() {
    static const auto page = uintptr_t(sysconf(_SC_PAGESIZE));
    closed_pages.clear();
    for (int device = 0; device < kDevices; ++device) {
        for (const Allocation& allocation : live_allocations(device)) {
            Pages pages{allocation.base / page * page, (allocation.base + allocation.bytes + page - 1) / page * page};
            bool adjoins = !closed_pages.empty() && pages.begin <= closed_pages.back().end;
            if (adjoins) closed_pages.back().end = pages.end;
            else closed_pages.push_back(pages);
        }
    }
    for (const Pages& pages : closed_pages) protect(pages, PROT_NONE);
}

std::atomic<uint64_t> expected_threads{0};

// Each is an entry of a directory, which counts as a link of it. 0 where the system has none.
uint64_t threads_of_process() {
    struct stat status{};
    return stat("/proc/self/task", &status) == 0 && status.st_nlink > 2 ? status.st_nlink - 2 : 0;
}

// The pages are open to all threads, so no other thread may run.
void look_for_threads() {
    uint64_t most = expected_threads, there = most ? threads_of_process() : 0;
    if (there <= most) return;
    report({.kind = "other_thread", .note = std::to_string(there - most) + " beside PyTorch's"});
}

void report_pierced() {
    uintptr_t address = pierced_at.exchange(0);
    if (!address) return;
    auto allocation = find_allocation(address);
    bool is_managed = allocation && allocation->managed;  // which host code may touch; here data would travel unseen
    report({.kind = is_managed ? "mapped_memory" : "device_pointer_on_host",
            .call_site = reinterpret_cast<const void*>(pierced_by + 1),
            .address = address,
            .space = is_managed ? "managed" : "global",
            .allocation = nearest_allocation(address)});
}

void settle() {
    bool close = is_up && openers == 0;
    if (closed.exchange(close)) open_pages();
    if (close) close_pages();
    hide_device_variables(close);
    if (is_up) look_for_threads();
    report_pierced();
}
}  // namespace

OpenShield::OpenShield() {
    std::lock_guard lock(shield_lock);
    if (++openers == 1 && is_up) settle();
}

OpenShield::~OpenShield() {
    std::lock_guard lock(shield_lock);
    if (--openers == 0 && is_up) settle();
}

bool is_shield_up() { return is_up; }

bool pierce_shield(uintptr_t address, uintptr_t pc) {
    int region = arena.region(address);
    if (region < 0 || region >= kDevices || !closed.exchange(false)) return false;
    pierced_by = pc;
    pierced_at = address;
    open_pages();
    return true;
}

}  // namespace simt

using namespace simt;

extern "C" {
void simt_raise_shield(int up) {
    if (up) install_fault_handlers();
    std::lock_guard lock(shield_lock);
    is_up = up != 0;
    settle();
}

void simt_expect_threads(int count) { expected_threads = uint64_t(count > 0 ? count : 0); }

void simt_open_shield(int open) {
    std::lock_guard lock(shield_lock);
    openers += open ? 1 : -1;
    if (is_up && openers == (open ? 1 : 0)) settle();
}
}
