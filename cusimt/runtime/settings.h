// What the environment chooses, for programs that have no options of the simulator's. A value that nothing takes ends the process
// with status 2 and a sentence that says so: a run that is not the one that was asked for proves nothing.
#pragma once
#include <stdint.h>

#include "schedule.h"

namespace simt {

Schedule chosen_schedule();  // CUSIMT_SCHEDULE; default: forward
// CUSIMT_WATCHDOG, in seconds of processor time without progress; 0: no limit. `unset` where it is not set.
double chosen_watchdog(double unset);
// CUSIMT_SAMPLE_BLOCKS: how many blocks of a launch run (sample.h); 0: all.
uint64_t chosen_sample();
// CUSIMT_THREADS: the most OS threads that run the blocks of a launch; default: the processors that this process may use.
unsigned chosen_threads();

}  // namespace simt
