// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/handover/network_facts.h"

namespace lockstep::job {

enum class NetworkFormat : std::uint8_t { Safetensors, Onnx };

struct ExportedNetwork {
    std::int64_t step = 0;  ///< Of the checkpoint.
    std::uint64_t bytes = 0;
    std::vector<std::string> remarks{};  ///< Of a damaged checkpoint that was passed over.
};

/// Writes a checkpoint's network as `lockstepctl export` does, whole or not at all. Takes as long
/// as reading and writing it: not for a thread that must not wait.
[[nodiscard]] Result<ExportedNetwork> exportNetwork(const NetworkPlace& place, NetworkFormat format,
                                                    const std::filesystem::path& file);

}  // namespace lockstep::job
