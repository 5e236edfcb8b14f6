// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/dynamic_library.h"
#include "core/base/result.h"
#include "core/tensor/precision.h"
#include "core/tensor/step_engine.h"

namespace lockstep::tensor {

/// Of the interface between the programs and lockstep-cuda. They are built together and share
/// classes, so equality is what is asked for; the table carries the product's version as well.
inline constexpr std::uint32_t kCudaModuleAbi = 7;

/// What the module's one entry point, `extern "C" lockstepCudaModule(abi)`, gives; null for
/// another abi. The module holds the code; everything it makes is owned by the caller.
struct CudaModuleTable {
    std::uint32_t abi = 0;
    const char* version = nullptr;  ///< Of the product.
    int runtimeVersion = 0;         ///< CUDA version it was built with: 13000 is 13.0.
    /// Seconds of the products alone of a step of `rows` samples: what a step is measured against.
    Result<double> (*productSeconds)(int index, const EngineProgram& program,
                                     std::uint32_t rows) = nullptr;
};

extern "C" {
using CudaModuleEntry = const CudaModuleTable* (*)(std::uint32_t abi);
}

/// The module, loaded.
struct CudaModule {
    DynamicLibrary library;
    const CudaModuleTable& table;
};

/// Loads the module: from `path`, or where it is installed when `path` is empty. NotFound: there is
/// none. Unavailable: it is of another build, or the loader says why not.
[[nodiscard]] Result<CudaModule> loadCudaModule(const std::string& path = {});

}  // namespace lockstep::tensor
