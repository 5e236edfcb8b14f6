// SPDX-License-Identifier: Apache-2.0
// lockstepctl: everything the window does, in a terminal.
#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "app/ctl/commands.h"
#include "app/error_output.h"
#include "core/base/thread.h"
#include "core/launch/ssh/ask_server.h"

int main(int argc, char** argv) {
    using namespace lockstep;
    ignoreSigpipe();
    if (const auto asked = launch::answerAsAskpass(argc, argv)) return *asked;
    CLI::App program{"lockstepctl: configure, launch, watch and evaluate training jobs",
                     "lockstepctl"};
    program.require_subcommand(1);
    std::vector<std::pair<std::string, app::Command>> commands;
    commands.emplace_back("run", app::addRunCommand(program));
    commands.emplace_back("lint", app::addLintCommand(program));
    commands.emplace_back("env", app::addEnvCommand(program));
    commands.emplace_back("doctor", app::addDoctorCommand(program));
    commands.emplace_back("attach", app::addAttachCommand(program));
    commands.emplace_back("logs", app::addLogsCommand(program));
    commands.emplace_back("stop", app::addStopCommand(program));
    commands.emplace_back("runs", app::addRunsCommand(program));
    commands.emplace_back("export", app::addExportCommand(program));
    commands.emplace_back("evaluate", app::addEvaluateCommand(program));
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app::reportUsage(program, error);
    }
    for (const auto& [name, command] : commands)
        if (program.got_subcommand(name)) return command();
    return 2;
}
