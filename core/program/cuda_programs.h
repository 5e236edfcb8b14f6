// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "core/program/executor.h"
#include "core/tensor/step_engine.h"

namespace lockstep::program {

/// How a program runs on a GPU.
struct CudaExecutorOptions {
    int device = 0;  ///< Among those that this process sees.
    tensor::Precision precision = tensor::Precision::Float32;
    /// What an instruction's windows may take before its batch is computed in parts.
    std::size_t workBytes = std::size_t{256} << 20;
    /// Of a part of a network: whom it is shared with, through the host's memory. Outlives the
    /// executor. Null: the network is whole.
    MeshGroup* group = nullptr;
};

/// Whole steps of a network: what changes its weights, and what computes.
struct EnginePrograms {
    tensor::EngineProgram steps;
    Program training;
    Program evaluation;
};

/// Of the interface between programs and lockstep-cuda, as tensor::kCudaModuleAbi.
inline constexpr std::uint32_t kCudaProgramsAbi = 5;

/// What the module's second entry point, `extern "C" lockstepCudaPrograms(abi)`, gives; null for
/// another abi.
struct CudaProgramTable {
    std::uint32_t abi = 0;
    Result<std::unique_ptr<Executor>> (*makeExecutor)(Program program,
                                                      const CudaExecutorOptions& options) = nullptr;
    Result<std::unique_ptr<tensor::StepEngine>> (*makeEngine)(
        const EnginePrograms& programs, const CudaExecutorOptions& options,
        const tensor::EngineLinks& links) = nullptr;
};

extern "C" {
using CudaProgramsEntry = const CudaProgramTable* (*)(std::uint32_t abi);
}

/// An executor on a GPU. The errors of tensor::loadCudaModule(), or Unavailable: the device
/// refuses, or has not as much memory.
[[nodiscard]] Result<std::unique_ptr<Executor>> makeCudaExecutor(
    Program program, const CudaExecutorOptions& options);

/// Whole steps on a GPU; the precision is that of the steps. The errors of makeCudaExecutor().
[[nodiscard]] Result<std::unique_ptr<tensor::StepEngine>> makeCudaEngine(
    const EnginePrograms& programs, const CudaExecutorOptions& options,
    const tensor::EngineLinks& links = {});

}  // namespace lockstep::program
