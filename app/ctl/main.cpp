// SPDX-License-Identifier: Apache-2.0
// lockstepctl: everything the window does, in a terminal.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/ctl/commands.h"
#include "app/terminal/error_output.h"
#include "core/base/program_start.h"
#include "core/base/text.h"
#include "core/launch/ssh/ask_server.h"

namespace {

using namespace lockstep;

/// A first word that is no command, with the one that was meant.
std::optional<Error> unknownCommand(int argc, char** argv, const CLI::App& program) {
    const std::string word = argc > 1 ? argv[1] : "";
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands({}))
        names.push_back(command->get_name());
    if (word.empty() || word.starts_with('-') || std::ranges::count(names, word) > 0)
        return std::nullopt;
    const auto meant = nearestName(word, names);
    return Error{ErrorCode::BadInput,
                 "there is no command " + word + (meant ? "; did you mean " + *meant + "?" : ""),
                 "The commands are " + joinWords(names) + "; lockstepctl --help tells more."};
}

}  // namespace

int main(int argc, char** argv) {
    prepareProgram();
    if (const auto asked = launch::answerAsAskpass(argc, argv)) return *asked;
    CLI::App program{"lockstepctl: configure, launch, watch and evaluate training jobs",
                     "lockstepctl"};
    program.set_version_flag("--version", "lockstepctl " LOCKSTEP_VERSION);
    program.require_subcommand(1);
    std::vector<std::pair<std::string, app::Command>> commands;
    commands.emplace_back("run", app::addRunCommand(program));
    commands.emplace_back("lint", app::addLintCommand(program));
    commands.emplace_back("keys", app::addKeysCommand(program));
    commands.emplace_back("env", app::addEnvCommand(program));
    commands.emplace_back("doctor", app::addDoctorCommand(program));
    commands.emplace_back("attach", app::addAttachCommand(program));
    commands.emplace_back("logs", app::addLogsCommand(program));
    commands.emplace_back("stop", app::addStopCommand(program));
    commands.emplace_back("runs", app::addRunsCommand(program));
    commands.emplace_back("export", app::addExportCommand(program));
    commands.emplace_back("evaluate", app::addEvaluateCommand(program));
    if (const auto unknown = unknownCommand(argc, argv, program)) return app::report(*unknown);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app::reportUsage(program, error);
    }
    for (const auto& [name, command] : commands)
        if (program.got_subcommand(name)) return command();
    return 2;
}
