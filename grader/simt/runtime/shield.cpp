#include "shield.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "arena.h"
#include "faults.h"
#include "findings.h"

namespace simt {

namespace {
std::recursive_mutex shield_lock;
bool is_up = false;
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
            if (allocation.managed) continue;
            Pages pages{allocation.base / page * page, (allocation.base + allocation.bytes + page - 1) / page * page};
            bool adjoins = !closed_pages.empty() && pages.begin <= closed_pages.back().end;
            if (adjoins) closed_pages.back().end = pages.end;
            else closed_pages.push_back(pages);
        }
    }
    for (const Pages& pages : closed_pages) protect(pages, PROT_NONE);
}

void report_pierced() {
    uintptr_t address = pierced_at.exchange(0);
    if (!address) return;
    auto allocation = find_allocation(address);
    if (allocation && allocation->managed) return;   // which host code may touch
    report({.kind = "device_pointer_on_host", .call_site = reinterpret_cast<const void*>(pierced_by + 1), .address = address,
            .space = "global", .allocation = nearest_allocation(address)});
}

void settle() {
    bool close = is_up && openers == 0;
    if (closed.exchange(close)) open_pages();
    if (close) close_pages();
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

void simt_open_shield(int open) {
    std::lock_guard lock(shield_lock);
    openers += open ? 1 : -1;
    if (is_up && openers == (open ? 1 : 0)) settle();
}
}
