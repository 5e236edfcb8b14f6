// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace lockstep::app {

/// The job file that "Open example" opens: installed beside the program, or in the source tree.
/// Empty when neither is there.
[[nodiscard]] QString exampleJobFile();

/// The folder of the jobs that File, New offers, with their data. Empty when it is not there.
[[nodiscard]] QString startersFolder();

}  // namespace lockstep::app
