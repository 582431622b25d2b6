// Faults in device code. A bad address in a kernel of the fast build, which has no access hooks, reaches the processor: the
// launch fails as on a GPU and the process lives on. The handler does not jump; it changes where the interrupted fiber will
// continue, so the signal is over, and its mask restored, before anything else runs.
#include "faults.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>

#include "execution.h"
#include "findings.h"
#include "modules.h"
#include "settings.h"
#include "shield.h"

namespace simt {

namespace {
constexpr double kStuckSeconds = 120;
constexpr size_t kSignalStackBytes = 64 * 1024;

std::atomic<double> watchdog_seconds{-1};  // 0: no limit; less: nobody has set one
bool watches_progress = false;             // the limit is for the time in which no thread gets any further

// Where findings are collected and nobody set a limit, a kernel that is stuck ends after a while.
void set_default_watchdog() {
    const char* collected = getenv("CUSIMT_FINDINGS");
    double chosen = chosen_watchdog(collected && *collected ? kStuckSeconds : 0);
    if (watchdog_seconds >= 0) return;
    watchdog_seconds = chosen;
    watches_progress = true;
}
struct sigaction previous_segv, previous_bus, previous_fpe, previous_ill, previous_abort, previous_watchdog;
// Of each OS thread: the fault or endless loop being turned into a finding, and the watchdog's view of it.
__thread uintptr_t fault_address __attribute__((tls_model("initial-exec")));
__thread uintptr_t fault_pc __attribute__((tls_model("initial-exec")));
__thread uint64_t progress_seen __attribute__((tls_model("initial-exec")));

uintptr_t& program_counter(ucontext_t& context) {
#if defined(__x86_64__)
    return reinterpret_cast<uintptr_t&>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<uintptr_t&>(context.uc_mcontext.pc);
#else
    (void)context;
    static uintptr_t unknown;  // findings then have no line; nothing is continued elsewhere (CUSIMT_UCONTEXT)
    return unknown = 0;
#endif
}

#ifndef CUSIMT_UCONTEXT
uintptr_t& stack_pointer(ucontext_t& context) {
#if defined(__x86_64__)
    return reinterpret_cast<uintptr_t&>(context.uc_mcontext.gregs[REG_RSP]);
#else
    return reinterpret_cast<uintptr_t&>(context.uc_mcontext.sp);
#endif
}
#endif

// The interrupted fiber will continue in `landing`, as if it had been called where the fiber stood.
void continue_in(ucontext_t& context, void (*landing)()) {
#if defined(__x86_64__) && !defined(CUSIMT_UCONTEXT)
    uintptr_t& stack = stack_pointer(context);
    stack = ((stack - 128) & ~uintptr_t(15)) - 8;  // below the red zone, aligned as after a call
#endif
    program_counter(context) = reinterpret_cast<uintptr_t>(landing);
}

// The last line of a process that is about to die: only async-signal-safe calls.
void print_last_line(const char* what, const char* why) {
    char line[512];
    uint3 block = running_block->index(), thread = execution.thread_index[running_block->current().thread];
    int length = snprintf(line, sizeof line, "cusimt: %s in kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s.\n", what,
                          execution.launch->kernel ? execution.launch->kernel : "?", block.x, block.y, block.z, thread.x,
                          thread.y, thread.z, why);
    if (size_t(length) >= sizeof line) {  // a template's name, cut
        length = sizeof line - 1;
        line[length - 1] = '\n';
    }
    ssize_t written = write(STDERR_FILENO, line, size_t(length));
    (void)written;
}

void print_overflow() {
    static_assert(kStackBytes == 128 * 1024);
    print_last_line("stack overflow", "its local variables and calls need more than 128 KiB");
}

[[noreturn]] void land_after_fault() {
    auto pc = reinterpret_cast<const void*>(fault_pc + 1);  // findings expect return addresses
    uintptr_t address = fault_address;
    running_block->await_turn();  // until then this OS thread may meet other faults
    bool in_arena = arena.region(address) >= 0;
    report({.kind = in_arena ? "out_of_bounds" : "host_pointer",
            .call_site = pc,
            .address = address,
            .space = in_arena ? "global" : "host",
            .allocation = nearest_allocation(address),
            .note = address < 4096 ? "null pointer" : "",
            .is_left = true});
    fail_launch(cudaErrorIllegalAddress);
}

// A GPU goes on after both, with an arbitrary value, or at an arbitrary instruction. Here the processor stops the thread.
[[noreturn]] void land_after_division() {
    report({.kind = "division_by_zero", .call_site = reinterpret_cast<const void*>(fault_pc + 1), .is_left = true});
    fail_launch(cudaErrorLaunchFailure);
}

[[noreturn]] void land_after_illegal_instruction() {
    report({.kind = "illegal_instruction", .call_site = reinterpret_cast<const void*>(fault_pc + 1), .is_left = true});
    fail_launch(cudaErrorIllegalInstruction);
}

// On the stack that overflowed, whose frames nobody needs any more: the process dies in the block's turn.
[[noreturn]] void land_after_overflow() {
    running_block->await_turn();
    print_overflow();
    ::signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    abort();
}

[[noreturn]] void land_after_drop() { running_block->drop(); }

[[noreturn]] void land_after_timeout() { fail_by_timeout(reinterpret_cast<const void*>(fault_pc + 1)); }

void hand_on(int signal, siginfo_t* info, void* context, const struct sigaction& previous) {
    if (previous.sa_flags & SA_SIGINFO && previous.sa_sigaction) {
        previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
    } else {
        ::signal(signal, SIG_DFL);  // the faulting instruction runs again, and the process dies of it
    }
}

void on_fault(int signal, siginfo_t* info, void* raw_context) {
    auto& context = *static_cast<ucontext_t*>(raw_context);
    bool on_fiber = simt_access->on_device;
    if (on_fiber && in_guard(running_block->current().stack, info->si_addr)) {
#ifndef CUSIMT_UCONTEXT
        if (execution.has_workers) {
            const Stack& stack = running_block->current().stack;
            stack_pointer(context) = reinterpret_cast<uintptr_t>(stack.begin + stack.bytes);
            return continue_in(context, land_after_overflow);
        }
#endif
        print_overflow();
        ::signal(signal, SIG_DFL);
        return;
    }
#ifndef CUSIMT_UCONTEXT
    if (on_fiber) {
        fault_address = reinterpret_cast<uintptr_t>(info->si_addr);
        fault_pc = program_counter(context);
        continue_in(context, land_after_fault);
        return;
    }
#endif
    if (pierce_shield(reinterpret_cast<uintptr_t>(info->si_addr), program_counter(context))) return;
    hand_on(signal, info, &context, signal == SIGBUS ? previous_bus : previous_segv);
}

void on_trap(int signal, siginfo_t* info, void* raw_context) {
    auto& context = *static_cast<ucontext_t*>(raw_context);
#ifndef CUSIMT_UCONTEXT
    if (simt_access->on_device) {
        fault_pc = program_counter(context);
        continue_in(context, signal == SIGFPE ? land_after_division : land_after_illegal_instruction);
        return;
    }
#endif
    hand_on(signal, info, &context, signal == SIGFPE ? previous_fpe : previous_ill);
}

void on_abort(int signal, siginfo_t* info, void* context) {
    if (simt_access->on_device) print_last_line("abort()", "it was called, or an exception met a noexcept function");
    hand_on(signal, info, context, previous_abort);  // abort() raises it again
}

// Leaves only from the program's own lines, which is also the place to report: a fiber interrupted inside the runtime or the C
// library may hold a lock there. The flag stops such a fiber at its next barrier or atomic, and the timer tries again.
void leave_program(ucontext_t& context, void (*landing)()) {
#ifndef CUSIMT_UCONTEXT
    if (!in_program(*execution.launch->module, program_counter(context))) return;
    fault_pc = program_counter(context);
    continue_in(context, landing);
#else
    (void)context, (void)landing;
#endif
}

void arm_this_thread();
void on_watchdog(int, siginfo_t*, void* raw_context) {
    int saved_errno = errno;
    auto& context = *static_cast<ucontext_t*>(raw_context);
    if (!simt_access->on_device) return;
    Worker& worker = running_block->worker();
    if (worker.ends == kDropped) {
        leave_program(context, land_after_drop);
    } else if (watches_progress && progress_seen != worker.progress) {
        progress_seen = worker.progress;
        arm_this_thread();
    } else {
        worker.ends = kTimedOut;
        leave_program(context, land_after_timeout);
    }
    errno = saved_errno;
}

void install(int signal, void (*handler)(int, siginfo_t*, void*), struct sigaction& previous) {
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
    struct sigaction current{};
    sigaction(signal, nullptr, &current);
    if (current.sa_flags & SA_SIGINFO && current.sa_sigaction == handler) return;  // still ours
    previous = current;
    sigaction(signal, &action, nullptr);
}

// A fiber's stack may be the very thing that is broken, so handlers need another. One per OS thread that ever launches;
// also its timer, whose signal must reach this thread and no other.
struct LaunchingThread {
    char* stack = nullptr;
    timer_t timer{};
    bool has_timer = false;
    pid_t process = 0;  // whose timer it is: a child does not inherit it

    LaunchingThread() {
        stack_t present{};
        sigaltstack(nullptr, &present);
        if (present.ss_flags & SS_DISABLE || present.ss_size < kSignalStackBytes / 2) {
            stack = static_cast<char*>(
                mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
            stack_t own{};
            own.ss_sp = stack;
            own.ss_size = kSignalStackBytes;
            sigaltstack(&own, nullptr);
        }
    }
    ~LaunchingThread() {
        if (has_timer && process == getpid()) timer_delete(timer);
        if (!stack) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
        munmap(stack, kSignalStackBytes);
    }
    void open_timer() {
        struct sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = kWatchdogSignal;
        event._sigev_un._tid = int(syscall(SYS_gettid));
        has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;  // a kernel that does not end never sleeps
        process = getpid();
    }
    void arm(double seconds) {
        if (process != getpid()) open_timer();
        if (!has_timer) return;
        itimerspec when{};
        when.it_value.tv_sec = time_t(seconds);
        when.it_value.tv_nsec = long((seconds - double(when.it_value.tv_sec)) * 1e9);
        if (seconds > 0) when.it_interval.tv_nsec = 10'000'000;
        timer_settime(timer, 0, &when, nullptr);
    }
};

LaunchingThread& this_thread() {
    static thread_local LaunchingThread thread;
    return thread;
}
void arm_this_thread() { this_thread().arm(watchdog_seconds); }
}  // namespace

void install_fault_handlers() {
    install(SIGSEGV, on_fault, previous_segv);
    install(SIGBUS, on_fault, previous_bus);
    install(SIGFPE, on_trap, previous_fpe);
    install(SIGILL, on_trap, previous_ill);
    install(SIGABRT, on_abort, previous_abort);
}

void install_watchdog() { install(kWatchdogSignal, on_watchdog, previous_watchdog); }

FaultGuard::FaultGuard(Thread kind) {
    LaunchingThread& thread = this_thread();
    if (kind == kLaunching) {
        install_fault_handlers();
        static const bool is_default_set = (set_default_watchdog(), true);
        (void)is_default_set;
        if (watchdog_seconds > 0) install_watchdog();
    }
    if (watchdog_seconds <= 0) return;
    progress_seen = 0;
    thread.arm(watchdog_seconds);
}

FaultGuard::~FaultGuard() {
    if (watchdog_seconds > 0) this_thread().arm(0);
}

}  // namespace simt

extern "C" void simt_set_watchdog(double seconds) {
    simt::watchdog_seconds = seconds;
    simt::watches_progress = false;
}
