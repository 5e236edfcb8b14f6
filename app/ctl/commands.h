// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "app/terminal/command_line.h"

namespace lockstep::app {

/// What a subcommand does once its arguments are parsed; returns the exit status.
using Command = std::function<int()>;

// Each adds its subcommand to `program` and returns what runs when it was chosen.
[[nodiscard]] Command addRunCommand(CommandLine& program);
[[nodiscard]] Command addLintCommand(CommandLine& program);
[[nodiscard]] Command addDataCommand(CommandLine& program);
[[nodiscard]] Command addKeysCommand(CommandLine& program);
[[nodiscard]] Command addEnvCommand(CommandLine& program);
[[nodiscard]] Command addAttachCommand(CommandLine& program);
[[nodiscard]] Command addLogsCommand(CommandLine& program);
[[nodiscard]] Command addStopCommand(CommandLine& program);
[[nodiscard]] Command addDrillCommand(CommandLine& program);
[[nodiscard]] Command addAboutCommand(CommandLine& program);
[[nodiscard]] Command addRunsCommand(CommandLine& program);
[[nodiscard]] Command addExportCommand(CommandLine& program);
[[nodiscard]] Command addEvaluateCommand(CommandLine& program);
[[nodiscard]] Command addPredictCommand(CommandLine& program);
[[nodiscard]] Command addDevicesCommand(CommandLine& program);
[[nodiscard]] Command addVerifyCommand(CommandLine& program);
[[nodiscard]] Command addDoctorCommand(CommandLine& program);

}  // namespace lockstep::app
