// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace lockstep::job {

/// The style of a report's page, light and dark as its reader's system is. Its colours of curves
/// are c0 to c5.
extern const std::string_view kReportStyle;
/// Reads values off a chart where the pointer is. Without it everything is there all the same.
extern const std::string_view kReportScript;

}  // namespace lockstep::job
