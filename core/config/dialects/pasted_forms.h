// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/dialects/dialect_readers.h"
#include "core/text/shell_lines.h"

namespace lockstep::config {

// One reader per form of text. All give BadInput for what is malformed.

/// What is wrong with the text, and what would be right.
[[nodiscard]] inline tl::unexpected<Error> unreadable(std::string message, std::string remedy) {
    return fail(ErrorCode::BadInput, std::move(message), std::move(remedy));
}

[[nodiscard]] Result<DialectReading> readVariables(const std::vector<ShellLine>& lines);
/// JSON, or Python that assigns it.
[[nodiscard]] Result<DialectReading> readTfConfigText(std::string_view text);
/// `initialize(…)`, or its arguments alone.
[[nodiscard]] Result<DialectReading> readCall(std::string_view text);
/// `torchrun …` or `python -m torch.distributed.run …`, the words behind its assignments.
[[nodiscard]] Result<DialectReading> readTorchrunCommand(const std::vector<std::string>& words);
[[nodiscard]] Result<DialectReading> readHostfile(std::string_view text);
[[nodiscard]] Result<DialectReading> readNodeList(std::string_view text);
[[nodiscard]] Result<DialectReading> readAddressList(std::string_view text);
[[nodiscard]] Result<DialectReading> readKubernetesJob(std::string_view text);

[[nodiscard]] bool looksLikeCall(std::string_view text);
[[nodiscard]] bool looksLikeManifest(std::string_view text);
[[nodiscard]] bool looksLikeTorchrun(const std::vector<std::string>& words);
/// Whether it is a variable that some reader knows.
[[nodiscard]] bool isClusterVariable(std::string_view name);

/// "understood as WHAT: 3 processes; this is process 1", as far as the facts say.
[[nodiscard]] std::string understoodAs(std::string_view what, const ClusterFacts& facts);

/// Notes on what was said of a process and has no key in a job file.
void addLeftOut(DialectReading& reading);

/// "understood as TF_CONFIG: 3 workers and an evaluator; this is worker 1".
[[nodiscard]] std::string tfConfigNote(std::string_view json);

/// A value whose origin is what was pasted.
template <typename T>
[[nodiscard]] Said<T> pasted(T value, std::string_view origin) {
    return Sourced<T>{std::move(value), {OriginKind::Argument, std::string(origin)}};
}

}  // namespace lockstep::config
