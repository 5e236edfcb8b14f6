// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/train/handover/saved_network.h"

namespace lockstep::train {

/// The bytes of a safetensors file that load_state_dict(strict=True) of the same network in PyTorch
/// takes: parameters and statistics by PyTorch's names and layouts, and what its modules have
/// besides (exchange::torchEntries). Its metadata say of which run and step it is, and what a
/// sample is.
[[nodiscard]] Result<std::string> exportSafetensors(const SavedNetwork& saved);

/// The bytes of an ONNX file: see exchange::encodeOnnx. The same metadata.
[[nodiscard]] Result<std::string> exportOnnx(const SavedNetwork& saved);

}  // namespace lockstep::train
