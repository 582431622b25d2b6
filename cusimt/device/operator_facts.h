// Facts about an operator that the fallback needs, read once from its schema.
#pragma once

#include "dtypes.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>

namespace cusimt::device {

struct OperatorFacts {
    std::string name;                    // "aten::mm": the qualified name without the overload
    bool runs_here = false;              // PyTorch's own, with a CPU kernel to run
    bool structural = false;             // views, allocation, metadata: no bytes written, not logged
    bool writes_memset = false;          // fill_ and zero_, which a GPU does with a memset
    bool pointwise = false;              // broadcasts through a TensorIterator, which words device errors its own way
    bool takes_host_tensors = false;     // CPU tensors of any size may be mixed in (indices, lengths)
    bool draws_default = false;          // random without a generator argument: uses the default generator behind the scenes
    const DtypeRules* dtypes = nullptr;  // where CUDA's kernel takes other dtypes than the CPU's
};

const OperatorFacts& facts_of(const c10::OperatorHandle& op);

}  // namespace cusimt::device
