// The C API of the SIMT runtime (libcusimt.so). The headers under cusimt/include, the simulated torch device and
// the Python side (ctypes) see only this. Everything is extern "C"; no torch types.
#pragma once
#include <stddef.h>
#include <stdint.h>
#pragma GCC visibility push(default)  // the runtime hides everything else
#ifdef __cplusplus
extern "C" {
#endif

// ---- built-in variables ---------------------------------------------------------------------------------------------
// One copy per OS thread, set whenever a CUDA thread starts or resumes. The runtime defines (vector_types.h):
//   extern "C" __thread uint3 threadIdx, blockIdx;  extern "C" __thread dim3 blockDim, gridDim;
// Device code should declare them `extern "C" const __thread ... __attribute__((tls_model("initial-exec")))`: const, because
// they never change within a CUDA thread, so the compiler may keep them in registers and -fsanitize=thread leaves them alone.

// ---- modules and launches -------------------------------------------------------------------------------------------
// A module is one .so (or program) with device code. runtime/module.cpp, linked into each, defines its hidden
// `simt_this_module` and announces it with simt_register_module when the library is loaded.
// `__constant__`, `__device__` and `__managed__` variables belong in the sections "simt_constant", "simt_device" and
// "simt_managed" (data, not bss): that is how host API and findings recognise symbols.
typedef struct simt_module {
    const char* name;
    int checked;                                // 1: the module was compiled with the access hooks
    char* (*dynamic_shared)(void);              // address of this OS thread's dynamic shared memory (extern __shared__)
    const char *constant_begin, *constant_end;  // section simt_constant; equal when there is none
    const char *device_begin, *device_end;      // section simt_device
    const char *managed_begin, *managed_end;    // section simt_managed
    const char *names_begin, *names_end;        // section simt_names: device variables that are in no section, each with a NUL
    const char *hooks_begin, *hooks_end;        // section simt_hooks: the access hooks of a checked module
    struct simt_module* next;                   // filled in by the runtime, as are all fields below
    uintptr_t load_address;                     // program counters in findings are relative to this
    const char *text_begin, *text_end;          // executable segment(s)
    const char *data_begin, *data_end;          // everything else that is mapped from the file
    const char* path;
    uintptr_t tls_bytes, tls_to_dynamic;  // its shared memory: all thread-local variables of the file
    const void* shared_arrays;            // of a checked module: where each of them lies
    void* static_data;                    // all other variables of the file
} simt_module;
void simt_register_module(simt_module*);
void simt_unregister_module(simt_module*);

typedef struct {
    size_t offset, bytes;
} simt_argument;  // of a kernel, in the closure of its launch
typedef struct simt_launch {
    uint32_t grid[3], block[3];
    size_t dynamic_shared;
    void* stream;        // cudaStream_t
    const char* kernel;  // text of the kernel expression
    const char* file;    // launch site
    int line;
    void (*entry)(void* closure);  // runs once per CUDA thread
    void* closure;                 // kernel arguments, already evaluated
    simt_module* module;
    int cooperative;
    size_t closure_bytes;            // parameter space that device code may read; 0: unknown
    const void* function;            // address of the kernel, as given to cudaFuncSetAttribute; null: unknown
    int is_instrumented;             // 1: the launching file was compiled with access hooks, and so was the kernel in it
    int of_programs;                 // 1: each block repeats what a program did (below); its barriers are not counted
    int is_trial;                    // 1: autotuning tries a configuration: neither recorded nor counted
    const simt_argument* arguments;  // null: not known
    size_t argument_count;
    int refers_to_caller;  // 1: the closure refers to variables of the function that launches, and must not outlive it
} simt_launch;
// On a stream that is being captured the launch becomes a node of the graph, with copies of the closure and of all texts.
int simt_launch_kernel(const simt_launch*);  // 0 or a cudaError_t, also stored as the last error

// Programs of an interpreter (Triton's), which accesses memory in tiles: see runtime/programs.h. In findings and counts the
// module is the file of the source, and a pc is a line of it.
typedef struct simt_programs simt_programs;
typedef struct {
    uint32_t grid[3];
    int warps;  // that a program would have on a GPU
    void* stream;
    const char* kernel;  // its name
    const char* source;  // path of the file with its code
    const char* file;    // launch site
    int line;
    const uint64_t* pointers;  // to device memory, as the kernel was given them
    size_t pointer_count;
    int is_trial;  // as in simt_launch
} simt_program_grid;
typedef struct {
    int line;        // of the source
    uint32_t bytes;  // of an element: 1, 2, 4 or 8
    size_t count;
    const uint64_t* addresses;
    const uint8_t* mask;  // 0: the element does not take part; null: all do
} simt_tile;
simt_programs* simt_programs_begin(const simt_program_grid*);
uint64_t simt_programs_next(simt_programs*);  // index of the program that runs now; the number of programs when all have run
// Elements at addresses that are no memory of the device are left alone here, and become findings of the launch.
void simt_programs_load(simt_programs*, const simt_tile*, void* values);
void simt_programs_store(simt_programs*, const simt_tile*, const void* values);
void simt_programs_begin_update(simt_programs*, const simt_tile*, uint8_t* usable);  // of atomics, which the caller computes
void simt_programs_end_update(simt_programs*);
int simt_programs_launch(simt_programs*);  // what they did, checked; 0 or a cudaError_t. Memory has its values from here
void simt_programs_end(simt_programs*);    // what was not launched is undone

// ---- called by device code (only on a fiber) --------------------------------------------------------------------------
// Where such a call stands is part of its meaning: clang must not merge two of them or move one out of a branch (for gcc
// flags do that, see compiler/libraries.py).
#ifdef __clang__
#define SIMT_CONVERGENT __attribute__((convergent, nomerge))
#else
#define SIMT_CONVERGENT
#endif
int simt_on_device(void);                                        // 1 inside a kernel
int simt_is_cooperative(void);                                   // 1 inside a kernel that was launched cooperatively
SIMT_CONVERGENT void simt_barrier(void);                         // __syncthreads
SIMT_CONVERGENT int simt_barrier_reduce(int predicate, int op);  // op: 0 count, 1 and, 2 or
typedef struct {
    uint64_t value[32][2];
    uint32_t participants;  // lanes whose value is there
} simt_warp_values;
// Waits for all live lanes of `mask` to call with the same mask and op; returns what each brought. The result stays valid
// until this thread's next call into the runtime. op is a tag chosen by the caller (one per intrinsic).
SIMT_CONVERGENT const simt_warp_values* simt_warp_collect(uint32_t mask, uint64_t lo, uint64_t hi, int op);
void simt_absent_lane(unsigned lane);             // this thread reads the value of a lane that brought none
SIMT_CONVERGENT uint32_t simt_active_mask(void);  // lanes that reach this call together
unsigned simt_lane(void);
unsigned simt_multiprocessors(void);           // of the simulated device; all are of one model
unsigned simt_linear_thread(void);             // index of this thread in its block
SIMT_CONVERGENT void simt_grid_barrier(void);  // cooperative launches only
// Before the plain read-modify-write that implements an atomic, which must not be instrumented itself; may let others run.
// SELECTS: CAS, min, max, and, or compare what they find, so that a plain read beside them is a guess. OF_BLOCK: atomic to
// threads of the block only. STORES: its value does not depend on the old one. SWAPS: simt_swap_done follows.
enum { SIMT_SELECTS = 1, SIMT_OF_BLOCK = 2, SIMT_STORES = 4, SIMT_SWAPS = 8 };
void simt_atomic_access(const void* address, size_t bytes, int traits);
void simt_scoped_load(const void* address, size_t bytes);  // the same before plain loads and stores of block scope
void simt_scoped_store(const void* address, size_t bytes);
void simt_swap_done(const void* address, int succeeded, uint64_t expected, int traits);  // in a checked module, after a CAS
// What textures and surfaces hold at a place: a fetch gives four words (numbers as int32_t or float, by how the texture is
// read), a surface the bytes themselves. LAYER: z is the number of a layer. A range that is not there is an error by `mode`.
enum { SIMT_LAYER = 16 };
typedef struct {
    int dimensions;  // 1 to 3, and SIMT_LAYER
    float x, y, z;
} simt_texture_place;
typedef struct {
    int dimensions;
    int x, y, z;  // x in bytes
    int mode;     // cudaSurfaceBoundaryMode
} simt_surface_place;
void simt_texture_fetch(unsigned long long texture, int index, uint32_t texel[4]);
void simt_texture_sample(unsigned long long texture, const simt_texture_place* place, uint32_t texel[4]);
void simt_surface_read(unsigned long long surface, const simt_surface_place* place, void* value, size_t bytes);
void simt_surface_write(unsigned long long surface, const simt_surface_place* place, const void* value, size_t bytes);
void simt_fence(int scope);                     // 1: block, 2: device or system; before what tells others
void simt_await_turn(const void* address);      // before an effect there that no other call announces; null: anywhere
void simt_exceed_launch_bounds(int most);       // this block has more threads; the launch is withdrawn
void simt_count_multiply_adds(uint64_t count);  // that the tensor cores made for a warp
void simt_trap(const char* what, const char* file, int line);  // assert, __trap: sticky error, drops the block
void simt_device_assert(const char* expression, const char* file, unsigned line, const char* function);
void simt_spin(const void* pc);                                        // maybe the thread waits for another: lets others run
void simt_spin_on(const void* address, size_t bytes, const void* pc);  // maybe for what lies there: lets blocks run, too
void simt_wait_ended(void);                                            // a loop ends because of what was read last
int simt_is_blank(const void* address, size_t bytes);                  // shared memory that this block has not written, checked
void simt_spare_read(const void* address, size_t bytes);               // before an uninstrumented read of what may be blank
int64_t simt_clock(void);                                              // simulated cycles
long simt_clock_of_caller(void);                                       // clock(): those, or the host's processor time
uint64_t simt_global_time(void);                                       // simulated nanoseconds, on from launch to launch
void simt_xorwow_ahead(uint32_t state[5], uint64_t n, int log2_unit);  // curand's XORWOW, by n * 2^log2_unit steps
// Asynchronous copies of 1, 2, 4, 8 or 16 bytes, of which the last `zero_bytes` become zero: into this thread's open batch,
// which a commit closes. The bytes arrive when a wait finds more than `prior` closed batches, or with the barrier object to
// which the open batch was attached.
void simt_async_copy(void* to, const void* from, unsigned bytes, unsigned zero_bytes);
void simt_async_commit(void);
void simt_async_wait(unsigned prior);
void simt_async_attach(const void* barrier);
// Barrier objects: 8 bytes that count arrivals. Arriving answers the phase in which; a phase ends with its last arrival.
void simt_phases_begin(uint64_t* barrier, unsigned expected);
void simt_phases_end(uint64_t* barrier);  // the memory is no barrier object any more
uint64_t simt_phase_arrive(uint64_t* barrier, unsigned arrivals, int drops);
void simt_phase_wait(uint64_t* barrier, uint64_t phase);
int simt_phase_has_ended(uint64_t* barrier, uint64_t phase);  // may yield
// A phase may also expect bytes, and ends when as many have been brought: by bulk copies, or as the program says.
void simt_phase_expect(uint64_t* barrier, unsigned bytes);
void simt_phase_bring(uint64_t* barrier, unsigned bytes);
void simt_phase_must_outlast(uint64_t* barrier, unsigned arrivals);  // a finding if so many end it
// Bulk copies of multiples of 16 bytes, at multiples of 16: into shared memory, where their bytes come to a barrier object; out of
// it, into this thread's open group, which a commit closes. A wait lets all but the latest `prior` closed groups arrive, or only
// read their source.
void simt_bulk_load(void* to, const void* from, unsigned bytes, uint64_t* barrier);
void simt_bulk_store(void* to, const void* from, unsigned bytes);
void simt_bulk_commit(void);
// The same of a box of a tensor, whose first element is at the coordinates; the tensor map is what cuTensorMapEncodeTiled wrote.
void simt_tensor_load(void* to, const void* map, const int32_t* coordinates, unsigned rank, uint64_t* barrier);
void simt_tensor_store(const void* map, const int32_t* coordinates, unsigned rank, const void* from);
void simt_bulk_wait(unsigned prior, int reads_only);
void simt_proxy_fence(void);  // what the thread has written to shared memory, bulk copies may read from here on
void simt_named_barrier(unsigned number, unsigned threads, int waits);  // 16 of them; 0 threads: the whole block
uint64_t simt_phase_of(const uint64_t* barrier);
uint64_t simt_phase_pending(const uint64_t* barrier);

// ---- memory -------------------------------------------------------------------------------------------------------------
int simt_device_count(void);
int simt_get_device(void);
int simt_set_device(int);                       // 0 or cudaErrorInvalidDevice
void* simt_allocate(int device, size_t bytes);  // nullptr for 0 bytes or when there is no memory; filled
                                                // with 0xA5, marked "unwritten"
// For an allocator that caches blocks per stream, as PyTorch's does (stream_uses.h): the block belongs to the stream; another
// stream uses it, too; the latest work on the stream reads or writes so many bytes, repeated in each dimension at its stride.
typedef struct {
    size_t count, bytes;
} simt_stride;
void* simt_allocate_on(int device, size_t bytes, void* stream);
void simt_record_stream(void* block, void* stream);
void simt_stream_touches(void* stream, const void* begin, size_t bytes, const simt_stride* strides, size_t dimensions,
                         int writes, const char* call);
// What a library outside of the runtime (cuSOLVER's) does between the two: host code on device memory, as work of a stream.
void simt_begin_library_call(const char* name, void* stream, double operations);
void simt_end_library_call(void);
int simt_library_call_fails(void);  // whether this call must return an error: an earlier one lasts, or it is to be refused
void simt_release(void*);           // quarantined, marked "freed"; null is fine
int simt_is_device_pointer(const void*);                       // any address of simulated device memory
int simt_pointer_device(const void*);                          // -1 if none
int simt_allocation(const void*, void** base, size_t* bytes);  // the live allocation holding the address; 0 if none
enum {
    SIMT_UNALLOCATED = 0,
    SIMT_UNWRITTEN = 1,
    SIMT_COPY = 2,
    SIMT_LIBRARY = 3,
    SIMT_MEMSET = 4,
    SIMT_FREED = 5,
    SIMT_KERNEL = 16
};
void simt_mark_written(void*, size_t bytes, int writer);
void simt_copy_marks(void* to, const void* from, size_t bytes);  // a device-to-device copy keeps the writers
// While the shield is up, host code that touches device memory is a finding, except between simt_open_shield(1) and (0), which
// nest: what copies, fills and runs library operators. Launches and the CUDA runtime API open it themselves. Memory that both
// sides may touch (managed, pinned, registered) is a finding, too, where the other side does: "mapped_memory".
void simt_raise_shield(int up);
// The process has that many threads, and while the shield is open to one of them it gets no more; 0: any number.
void simt_expect_threads(int count);
void simt_open_shield(int open);
// Bytes by their last writer; the host's are those that differ from the poison though marked unwritten. ../support/writers.py
// has the same order.
enum { SIMT_BY_NONE, SIMT_BY_KERNEL, SIMT_BY_LIBRARY, SIMT_BY_COPY, SIMT_BY_MEMSET, SIMT_BY_HOST, SIMT_WRITERS };
void simt_writers(const void*, size_t bytes, uint64_t counts[SIMT_WRITERS]);
typedef struct {
    uint64_t live_bytes, peak_bytes, live_allocations, total_allocations, total_frees;
} simt_memory_statistics;
void simt_memory(int device, simt_memory_statistics*);
void simt_memory_info(int device, uint64_t* free_bytes, uint64_t* total_bytes);
void simt_reset_peak(int device);

// ---- streams, events, simulated clock (microseconds, modelled; work is executed at once, time advances per stream) -----
void* simt_stream_create(int device, int priority);
void simt_stream_destroy(void*);
uint64_t simt_stream_id(void* stream);  // 0 for the default stream
void* simt_stream_from_id(int device, uint64_t id);
int simt_stream_device(void*);
int simt_stream_priority(void*);
int simt_stream_query(void* stream);  // 0 or cudaErrorNotReady
// 0: what follows on the stream runs at once; else it is being captured (1), or the capture has failed (2).
int simt_stream_capture_status(void* stream);
int simt_uncaptured_work(void* stream, const char* call);  // about to run: 0, or the error if the stream is under capture
void simt_stream_synchronize(void* stream);                // counted as a host sync
void simt_stream_work(void* stream, double microseconds);  // work that is not a launch: time passes on the stream
// Handles of cuBLAS and cuSPARSE as PyTorch keeps them: not recorded as created by the program. Null when memory is full.
void* simt_blas_handle(void);
void* simt_sparse_handle(void);
void simt_set_current_stream(int device, void*);  // torch's notion, per OS thread; null = default
void* simt_current_stream(int device);
// From now on launches and copies tell whether they wait for what is queued on the calling thread's current streams ("waits"),
// and, when they are taken, whether those streams wait for them ("awaited").
void simt_watch_streams(void);
void* simt_event_create(unsigned flags);
void simt_event_destroy(void*);
int simt_event_record(void* event, void* stream);
int simt_event_query(void*);  // 0 or cudaErrorNotReady
int simt_event_elapsed_ms(float* ms, void* start, void* stop);
int simt_stream_wait_event(void* stream, void* event);  // on a stream under capture these two make dependencies of nodes
int simt_synchronize(int device);  // counted as a host sync; 0, or the error if a stream of the device is under capture

// ---- what happened: JSON lines in a buffer owned by the runtime until the next call of the same function ------------------
// finding: {"kind":"out_of_bounds|use_after_free|uninitialized_read|host_pointer|device_pointer_on_host|race_shared|
//   race_global|misaligned|divergent_barrier|deadlock|bad_mask|invalid_launch|trap|write_to_const|timeout|copy_in_flight|
//   stream_order|stream_reuse|copy_source|proxy_fence|barrier_count|double_free|invalid_free|division_by_zero|illegal_instruction|
//   mapped_memory|other_thread|host_function (the note is its name, as the linker knows it, or "")|
//   absent_lane (no fault of its own: harmless where the value is not used)|
//   unchecked_kernel (no fault either: a kernel without access hooks in a run that collects findings; the note is its library)",
//   "access":"read|write|atomic", "bytes":4, "kernel":"...", "module":"/path/x.so", "pc":123 (offset in the module),
//   "address":..., "allocation":{"base":..,"bytes":..,"offset":..,"device":0}|null, "array":"tile",
//   "space":"global|shared|local|host|static|managed|pinned|registered", "block":[x,y,z], "thread":[x,y,z],
//   "other":{"pc":..,"access":"..","block":[..],"thread":[..]}|null, "count":n,
//   "calls":[pc,..] (of the calls that led there, the innermost first; the last one may be that of the kernel itself),
//   "note":"...", "file":"...", "line":n}       file and line: the launch site (trap: the assertion)
const char* simt_take_findings(void);
// launch: {"kernel":..,"grid":[..],"block":[..],"shared":bytes,"stream":id,"device":d,"file":..,"line":..,"error":0,
//   "time_us":.., "module":"/path/x.so", "checked":1 (whether the kernel has the access hooks), "waits":1, "awaited":1,
//   "moment":[stream,n] (the n-th piece of work of that stream, counted as in "after"), "after":[[stream,n],..] (of each stream
//   the latest work submitted since simt_watch_streams that comes before this launch), "queued_us":.., "begin_us":..,
//   "end_us":..}
const char* simt_take_launches(void);
// api: {"call":"cudaMemcpy","kind":"h2d","bytes":n,"stream":id,"error":0}: calls of the CUDA runtime API by the program
//   (kind h2d, d2h, d2d, h2h, memset, alloc, free, sync); while copies are watched, one between host and device also has
//   "content", a digest, and "by_kernel", how many of the bytes that left the device a kernel wrote, and else zeros; from
//   "waits" to "end_us" as in launches;
//   synchronisation by torch has the call "torch::synchronize"
const char* simt_take_api_calls(void);
// counts of a launch of a checked module: the fields of its launch, and "barriers", "tensor_multiply_adds" (on tensor
//   cores), "read_sectors", "written_sectors",
//   "sites":[{"pc":..,"space":"global|shared","access":"load|store|atomic","bytes":4,"requests":..,"lanes":..,"sectors":..,
//   "wavefronts":..,"ideal_sectors":..,"ideal_wavefronts":..,"sample":{"addresses":[0,4,null,..],"allocation":address|null,
//   "block":[x,y,z],"warp":n}}]: one for each instruction and allocation; addresses count from the beginning of it
void simt_set_counting(int on);  // from the next launch on
const char* simt_take_counts(void);
void simt_watch_copies(int on);                         // from the next copy on
uint64_t simt_digest(const void* bytes, size_t count);  // what "content" of a copy is compared with
int simt_last_error(int clear);
int simt_sticky_error(void);
const char* simt_error_name(int);
const char* simt_error_string(int);
void simt_reset(void);                             // drop sticky error, findings, launches (not allocations)
void simt_set_schedule(int order, uint64_t seed);  // 0 forward, 1 reversed, 2 seeded random (blocks, threads)
void simt_refuse_launch(int which);                // the launch of a kernel that is the `which`-th from now on, from 1, fails
                                                   // with cudaErrorLaunchOutOfResources, as on a device that has no room for
                                                   // it; no finding. 0: none fails
void simt_refuse_library_call(int which);          // the same for the calls of libraries: its status is EXECUTION_FAILED
void simt_set_watchdog(double seconds);            // of processor time; a kernel that takes more: finding "timeout",
                                                   // cudaErrorLaunchTimeout; 0 = no limit
void simt_set_exits_reported(int on);              // whether a barrier after some threads returned is a
                                                   // "divergent_barrier"; not where findings are collected

// A library's call has too little temporary storage: reports that, and is the error that the call returns.
int simt_refuse_temporary(const char* name, size_t bytes, size_t needed, const char* file, int line);
#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
