// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace lockstep::app {

/// What a subcommand does once its arguments are parsed; returns the exit status.
using Command = std::function<int()>;

// Each adds its subcommand to `program` and returns what runs when it was chosen.
[[nodiscard]] Command addRunCommand(CLI::App& program);
[[nodiscard]] Command addLintCommand(CLI::App& program);
[[nodiscard]] Command addKeysCommand(CLI::App& program);
[[nodiscard]] Command addEnvCommand(CLI::App& program);
[[nodiscard]] Command addAttachCommand(CLI::App& program);
[[nodiscard]] Command addLogsCommand(CLI::App& program);
[[nodiscard]] Command addStopCommand(CLI::App& program);
[[nodiscard]] Command addRunsCommand(CLI::App& program);
[[nodiscard]] Command addExportCommand(CLI::App& program);
[[nodiscard]] Command addEvaluateCommand(CLI::App& program);
[[nodiscard]] Command addDoctorCommand(CLI::App& program);

}  // namespace lockstep::app
