// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/model/data_facts.h"

namespace lockstep::data {

/// What a network must know of a job's data, as their files tell it: of images in folders the
/// folders' names alone, of others what loadDataset() reads. BadInput as it says it.
[[nodiscard]] Result<model::DataFacts> readDataFacts(const config::DataSpec& spec,
                                                     const std::filesystem::path& jobFolder);

/// Files of at most so many bytes are read before a start, where somebody waits for an answer.
inline constexpr std::uint64_t kMostBytesLookedAt = std::uint64_t{64} << 20;

/// Bytes of the files that the job names one by one; those that are not there count nothing.
[[nodiscard]] std::uint64_t namedBytes(const config::DataSpec& spec,
                                       const std::filesystem::path& jobFolder);

}  // namespace lockstep::data
