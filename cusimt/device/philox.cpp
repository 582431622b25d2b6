// at::CUDAGeneratorImpl, which CPU wheels lack: the seed and offset of the Philox generator. An operator
// reserves as many numbers per thread as it declares, in multiples of four, as on a GPU.
#include <ATen/Utils.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/core/GeneratorImpl.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/headeronly/version.h>

#include "generator.h"

#include <cstring>

namespace at {
namespace {
constexpr int64_t kWords = 2;  // of a state: seed and offset

DeviceIndex resolved(DeviceIndex device) { return device == -1 ? c10::cuda::current_device() : device; }
}  // namespace

CUDAGeneratorImpl::CUDAGeneratorImpl(DeviceIndex device)
    : CUDAGeneratorImpl(resolved(device), c10::make_intrusive<CUDAGeneratorState>()) {}

CUDAGeneratorImpl::CUDAGeneratorImpl(DeviceIndex device, c10::intrusive_ptr<CUDAGeneratorState> state)
    : c10::GeneratorImpl(Device(kCUDA, device), DispatchKeySet(c10::DispatchKey::CUDA)), state_(std::move(state)) {
    no_reset_rnn_state_.clear();
}

c10::DeviceType CUDAGeneratorImpl::device_type() { return kCUDA; }

void CUDAGeneratorImpl::set_current_seed(uint64_t seed) {
    state_->seed_ = seed;
    state_->philox_offset_per_thread_ = 0;
    no_reset_rnn_state_.clear();
}

uint64_t CUDAGeneratorImpl::current_seed() const { return state_->seed_; }

uint64_t CUDAGeneratorImpl::seed() {
    const auto seed = c10::detail::getNonDeterministicRandom(true);
    set_current_seed(seed);
    return seed;
}

void CUDAGeneratorImpl::set_offset(uint64_t offset) { set_philox_offset_per_thread(offset); }

uint64_t CUDAGeneratorImpl::get_offset() const { return philox_offset_per_thread(); }

void CUDAGeneratorImpl::set_philox_offset_per_thread(uint64_t offset) {
    TORCH_CHECK(offset % 4 == 0, "offset must be a multiple of 4");
    state_->philox_offset_per_thread_ = offset;
}

uint64_t CUDAGeneratorImpl::philox_offset_per_thread() const { return state_->philox_offset_per_thread_; }

c10::intrusive_ptr<c10::TensorImpl> CUDAGeneratorImpl::get_state() const {
    const uint64_t words[kWords] = {state_->seed_, state_->philox_offset_per_thread_};
    auto tensor =
        at::detail::empty_cpu({sizeof(words)}, ScalarType::Byte, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
    std::memcpy(tensor.mutable_data_ptr(), words, sizeof(words));
    return tensor.getIntrusivePtr();
}

void CUDAGeneratorImpl::set_state(const c10::TensorImpl& new_state) {
    at::detail::check_rng_state(new_state);
    uint64_t words[kWords];
    TORCH_CHECK(new_state.numel() == sizeof(words), "RNG state is wrong size");
    std::memcpy(words, new_state.data(), sizeof(words));
    CUDAGeneratorImpl::set_current_seed(words[0]);
    set_philox_offset_per_thread(words[1]);
}

void CUDAGeneratorImpl::graphsafe_set_state(const c10::intrusive_ptr<GeneratorImpl>& other) {
    const auto* source = dynamic_cast<CUDAGeneratorImpl*>(other.get());
    TORCH_CHECK(source, "Provided state is not a CUDA generator");
    state_ = source->state_;
}

c10::intrusive_ptr<c10::GeneratorImpl> CUDAGeneratorImpl::graphsafe_get_state() const {
    return c10::make_intrusive<CUDAGeneratorImpl>(device().index(), state_);
}

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 14
void CUDAGeneratorImpl::philox_state(uint64_t, at::Tensor&, at::Tensor&, at::Tensor&) {
    TORCH_CHECK(false, "the state of a generator is not kept in tensors on the simulated device");
}
#else
void CUDAGeneratorImpl::register_graph(cuda::CUDAGraph*) {
    TORCH_CHECK(false, "CUDA graphs are not recorded on the simulated device");
}
#endif

PhiloxCudaState CUDAGeneratorImpl::philox_cuda_state(uint64_t increment) {
    const auto [seed, offset] = philox_engine_inputs(increment);
    return PhiloxCudaState(seed, offset);
}

std::pair<uint64_t, uint64_t> CUDAGeneratorImpl::philox_engine_inputs(uint64_t increment) {
    const uint64_t offset = state_->philox_offset_per_thread_;
    state_->philox_offset_per_thread_ += (increment + 3) / 4 * 4;
    return {state_->seed_, offset};
}

std::shared_ptr<CUDAGeneratorImpl> CUDAGeneratorImpl::clone() const { return std::shared_ptr<CUDAGeneratorImpl>(clone_impl()); }

CUDAGeneratorImpl* CUDAGeneratorImpl::clone_impl() const {
    auto* copy = new CUDAGeneratorImpl(device().index());
    copy->set_current_seed(state_->seed_);
    copy->set_philox_offset_per_thread(state_->philox_offset_per_thread_);
    return copy;
}

namespace cuda::detail {

const Generator& getDefaultCUDAGenerator(DeviceIndex device) { return cusimt::device::default_generator(device); }

Generator createCUDAGenerator(DeviceIndex device) { return cusimt::device::new_generator(device); }

}  // namespace cuda::detail
}  // namespace at
