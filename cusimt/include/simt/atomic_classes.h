// cuda::atomic, cuda::atomic_ref, cuda::atomic_flag and cuda::atomic_thread_fence.
#pragma once
#include "simt/atomic_object.h"

namespace cuda {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// May lie in shared memory: without a value, it needs no constructor.
template <class T, thread_scope Scope = thread_scope_system>
class atomic : public simt::atomic_operations<atomic<T, Scope>, T, Scope> {
  public:
    atomic() = default;
    SIMT_INLINE constexpr atomic(T value) : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    SIMT_INLINE T operator=(T value) {
        this->store(value);
        return value;
    }
    SIMT_INLINE T* simt_address() const { return const_cast<T*>(&value_); }

  private:
    alignas(simt::atomic_alignment<T>()) T value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public simt::atomic_operations<atomic_ref<T, Scope>, T, Scope> {
  public:
    static constexpr size_t required_alignment = simt::atomic_alignment<T>();
    SIMT_INLINE explicit atomic_ref(T& object) : object_(&object) {}
    atomic_ref(const atomic_ref&) = default;
    SIMT_INLINE T operator=(T value) const {
        this->store(value);
        return value;
    }
    SIMT_INLINE T* simt_address() const { return object_; }

  private:
    T* object_;
};

template <thread_scope Scope = thread_scope_system>
class atomic_flag {
  public:
    SIMT_INLINE bool test(memory_order order = memory_order_seq_cst) const { return value_.load(order) != 0; }
    SIMT_INLINE bool test_and_set(memory_order order = memory_order_seq_cst) { return value_.exchange(1, order) != 0; }
    SIMT_INLINE void clear(memory_order order = memory_order_seq_cst) { value_.store(0, order); }

  private:
    atomic<int, Scope> value_;
};

SIMT_INLINE void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
    __asm__ __volatile__("" ::: "memory");
    if (simt_on_device() && order != memory_order_relaxed) simt_fence(simt::fence_scope(scope));
}

}  // namespace cuda
