// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"
#include "core/data/load_watch.h"
#include "core/data/text/tokenizer.h"

namespace lockstep::data {

/// The text of data.files, one file behind the other, as windows of data.sequence_length tokens
/// that do not overlap, each with the token behind every place as its answer. The last share of the
/// text is the validation set. BadInput for files that are no text or too short for a window.
/// Large texts are packed in `cacheFolder`, as packSource() says.
[[nodiscard]] Result<Dataset> loadText(const config::DataSpec& spec,
                                       const std::filesystem::path& jobFolder,
                                       const std::filesystem::path& cacheFolder,
                                       const LoadWatch& watch = {});

/// What a network must know of it. Reads the files where the tokenizer's vocabulary is theirs.
[[nodiscard]] Result<model::DataFacts> textFacts(const config::DataSpec& spec,
                                                 const std::filesystem::path& jobFolder);

}  // namespace lockstep::data
