// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

// CLI11 stands behind this: all of it is in headers, so one source includes them.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lockstep::app {

/// One argument, narrowed where it is declared.
class Argument {
public:
    explicit Argument(CLI::Option& option) : option_(&option) {}

    Argument required();
    /// --help names the value that its target has now.
    Argument showingDefault();
    Argument oneOf(std::vector<std::string> words);
    Argument between(int least, int most);
    Argument notNegative();
    Argument needing(const Argument& other);
    Argument excluding(const Argument& other);

    /// Whether the line has it; after parse().
    [[nodiscard]] bool isGiven() const;
    [[nodiscard]] std::string name() const;

private:
    CLI::Option* option_;
};

/// For options that say nothing in the case at hand: BadInput for the first of them that is given,
/// "--top WHY". After parse().
[[nodiscard]] Result<void> refuseGiven(const std::vector<Argument>& options, const std::string& why,
                                       const std::string& remedy = "Leave it out.");

/// What a program, or one of its commands, takes. A view of what a CommandLine owns; the targets
/// outlive its parse(). A name without dashes is a positional argument.
class ArgumentList {
public:
    explicit ArgumentList(CLI::App& app) : app_(&app) {}

    Argument add(const std::string& name, std::string& target, const std::string& help);
    Argument add(const std::string& name, int& target, const std::string& help);
    Argument add(const std::string& name, double& target, const std::string& help);
    Argument add(const std::string& name, std::optional<int>& target, const std::string& help);
    /// May be given several times, each with one value.
    Argument add(const std::string& name, std::vector<std::string>& target,
                 const std::string& help);
    /// A positional argument that takes all that follow.
    Argument addAll(const std::string& name, std::vector<std::string>& target,
                    const std::string& help);
    Argument addFlag(const std::string& name, bool& target, const std::string& help);

private:
    CLI::App* app_;
};

/// The command line of a program: its own arguments, or one of its commands.
class CommandLine {
public:
    CommandLine(const std::string& program, const std::string& about, const std::string& version);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    [[nodiscard]] ArgumentList arguments();
    /// Where there are commands, one has to be chosen.
    [[nodiscard]] ArgumentList addCommand(const std::string& name, const std::string& about);

    /// Nothing: go on. Else the status to exit with: 0 after --help and --version, 2 after saying
    /// in one line what is wrong, a first word that is no command with the one that was meant.
    [[nodiscard]] std::optional<int> parse(int argc, char** argv);
    /// After parse().
    [[nodiscard]] bool isChosen(const std::string& command) const;

private:
    [[nodiscard]] bool saysUnknownCommand(int argc, char** argv) const;

    std::unique_ptr<CLI::App> app_;
};

}  // namespace lockstep::app
