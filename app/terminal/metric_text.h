// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/job/fold/session.h"
#include "core/text/json.h"

namespace lockstep::app {

/// Metrics, by their names as words, each behind `before`: ", mean absolute error 0.51".
[[nodiscard]] std::string figuresText(const std::string& before,
                                      const std::vector<job::FigureView>& figures);

/// The metrics of a split in a run's summary, whose fields begin with `before` ("test_").
[[nodiscard]] std::string metricsIn(const text::Json& summary, const std::string& before);

}  // namespace lockstep::app
