// What is checked of a bulk copy: when it is made, when it arrives, and when its source is read.
#pragma once
#include <stdint.h>

#include <string>

#include "bulk_copies.h"

namespace simt {

bool is_from_shared(const BulkCopy& copy);

// ---- in either build: what the unit cannot do stops the kernel ----
[[noreturn]] void refuse_copy(const std::string& why, const void* call_site);
void require_alignment(uintptr_t address, uintptr_t unit, uint32_t bytes, int kind, const void* call_site);
void check_linear(uintptr_t to, uintptr_t from, uint32_t bytes, const void* call_site);
// The side in shared memory; `kind`: whether the copy reads or writes it.
void check_target(uintptr_t address, uint32_t bytes, int kind, const void* call_site);
void check_object(const uint64_t* barrier, const void* call_site);

// ---- in the checked build ----
void check_made(const BulkCopy& copy);  // bounds, races and unwritten bytes on both sides, and the fence
void note_flight(const BulkCopy& copy);
void note_landing(const BulkCopy& copy);
void note_arrival(const BulkCopy& copy);   // the writes that it is, by the thread that made it
void check_source(const BulkCopy& copy);   // unchanged since the copy was made
void note_reading(const BulkCopy& copy);   // up to here the copy may have read its source in shared memory
void report_unread(const BulkCopy& copy);  // its thread returns before it has read the source

}  // namespace simt
