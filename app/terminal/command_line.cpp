// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <utility>

#include "app/terminal/error_output.h"
#include "core/base/text.h"

namespace lockstep::app {

Argument Argument::required() {
    option_->required();
    return *this;
}

Argument Argument::showingDefault() {
    option_->capture_default_str();
    return *this;
}

Argument Argument::oneOf(std::vector<std::string> words) {
    option_->check(CLI::IsMember(std::move(words)));
    return *this;
}

Argument Argument::between(int least, int most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Argument Argument::notNegative() {
    option_->check(CLI::NonNegativeNumber);
    return *this;
}

Argument Argument::needing(const Argument& other) {
    option_->needs(other.option_);
    return *this;
}

Argument Argument::excluding(const Argument& other) {
    option_->excludes(other.option_);
    return *this;
}

bool Argument::isGiven() const {
    return option_->count() > 0;
}

std::string Argument::name() const {
    return option_->get_name();
}

Result<void> refuseGiven(const std::vector<Argument>& options, const std::string& why,
                         const std::string& remedy) {
    for (const Argument& option : options)
        if (option.isGiven()) return fail(ErrorCode::BadInput, option.name() + " " + why, remedy);
    return {};
}

Argument ArgumentList::add(const std::string& name, std::string& target, const std::string& help) {
    return Argument(*app_->add_option(name, target, help));
}

Argument ArgumentList::add(const std::string& name, int& target, const std::string& help) {
    return Argument(*app_->add_option(name, target, help));
}

Argument ArgumentList::add(const std::string& name, double& target, const std::string& help) {
    return Argument(*app_->add_option(name, target, help));
}

Argument ArgumentList::add(const std::string& name, std::optional<int>& target,
                           const std::string& help) {
    return Argument(*app_->add_option(name, target, help));
}

Argument ArgumentList::add(const std::string& name, std::vector<std::string>& target,
                           const std::string& help) {
    return Argument(*app_->add_option(name, target, help)->allow_extra_args(false));
}

Argument ArgumentList::addAll(const std::string& name, std::vector<std::string>& target,
                              const std::string& help) {
    return Argument(*app_->add_option(name, target, help));
}

Argument ArgumentList::addFlag(const std::string& name, bool& target, const std::string& help) {
    return Argument(*app_->add_flag(name, target, help));
}

CommandLine::CommandLine(const std::string& program, const std::string& about,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(about, program)) {
    app_->set_version_flag("--version", program + " " + version);
}

CommandLine::~CommandLine() = default;

ArgumentList CommandLine::arguments() {
    return ArgumentList(*app_);
}

ArgumentList CommandLine::addCommand(const std::string& name, const std::string& about) {
    app_->require_subcommand(1);
    return ArgumentList(*app_->add_subcommand(name, about));
}

bool CommandLine::saysUnknownCommand(int argc, char** argv) const {
    const std::string word = argc > 1 ? argv[1] : "";
    std::vector<std::string> names;
    for (const CLI::App* command : app_->get_subcommands({}))
        names.push_back(command->get_name());
    if (names.empty() || word.empty() || word.starts_with('-') ||
        std::ranges::count(names, word) > 0)
        return false;
    const auto meant = nearestName(word, names);
    printError(
        "there is no command " + word + (meant ? "; did you mean " + *meant + "?" : ""),
        "The commands are " + joinWords(names) + "; " + app_->get_name() + " --help tells more.");
    return true;
}

std::optional<int> CommandLine::parse(int argc, char** argv) {
    if (saysUnknownCommand(argc, argv)) return 2;
    try {
        app_->parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app_->exit(error, std::cout, std::cerr);
        printError(error.what(), "Run " + app_->get_name() + " --help to see what there is.");
        return 2;
    }
}

bool CommandLine::isChosen(const std::string& command) const {
    return app_->got_subcommand(command);
}

}  // namespace lockstep::app
