// Where PyTorch's kernels for the CPU and for CUDA take different dtypes: the simulated device takes what CUDA takes.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>

namespace cusimt::device {

struct DtypeRules;

// By the qualified name without the overload; null for an operator whose two kernels take the same.
const DtypeRules* dtype_rules_of(const std::string& name);

// Raises as PyTorch does on a GPU if only the CPU's kernel takes arguments of this dtype: NotImplementedError.
void refuse_dtype(const DtypeRules& rules, const c10::OperatorHandle& op, at::ArrayRef<c10::IValue> arguments);

// Calls the CPU's kernel with the arguments on the stack, which are host views by now. A dtype that only CUDA's kernel
// takes is computed in a wider one, and rounded once.
void run_cpu_kernel(const DtypeRules* rules, const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace cusimt::device
