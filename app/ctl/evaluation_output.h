// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/text/json.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::app {

/// What a checkpoint scored, for people: a line of figures, then what suits the task: the classes
/// most often taken for another, how far off numbers are, what the network wrote.
[[nodiscard]] std::string evaluationText(const wire::Evaluation& evaluation);

/// All of it but the samples' images, for programs.
[[nodiscard]] text::Json evaluationJson(const wire::Evaluation& evaluation);

}  // namespace lockstep::app
