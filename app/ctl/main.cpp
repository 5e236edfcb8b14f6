// SPDX-License-Identifier: Apache-2.0
// lockstepctl: everything the window does, in a terminal.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ctl/commands.h"
#include "core/base/program_start.h"
#include "core/launch/ssh/ask_server.h"

int main(int argc, char** argv) {
    using namespace lockstep;
    prepareProgram();
    if (const auto asked = launch::answerAsAskpass(argc, argv)) return *asked;
    app::CommandLine program("lockstepctl",
                             "lockstepctl: configure, launch, watch and evaluate training jobs",
                             LOCKSTEP_VERSION);
    std::vector<std::pair<std::string, app::Command>> commands;
    commands.emplace_back("run", app::addRunCommand(program));
    commands.emplace_back("lint", app::addLintCommand(program));
    commands.emplace_back("keys", app::addKeysCommand(program));
    commands.emplace_back("data", app::addDataCommand(program));
    commands.emplace_back("env", app::addEnvCommand(program));
    commands.emplace_back("doctor", app::addDoctorCommand(program));
    commands.emplace_back("attach", app::addAttachCommand(program));
    commands.emplace_back("logs", app::addLogsCommand(program));
    commands.emplace_back("stop", app::addStopCommand(program));
    commands.emplace_back("drill", app::addDrillCommand(program));
    commands.emplace_back("devices", app::addDevicesCommand(program));
    commands.emplace_back("runs", app::addRunsCommand(program));
    commands.emplace_back("about", app::addAboutCommand(program));
    commands.emplace_back("export", app::addExportCommand(program));
    commands.emplace_back("evaluate", app::addEvaluateCommand(program));
    commands.emplace_back("predict", app::addPredictCommand(program));
    commands.emplace_back("verify", app::addVerifyCommand(program));
    if (const auto ended = program.parse(argc, argv)) return *ended;
    for (const auto& [name, command] : commands)
        if (program.isChosen(name)) return command();
    return 2;
}
