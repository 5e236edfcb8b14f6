// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/launch_consent.h"
#include "app/terminal/colour.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "core/job/trust.h"

namespace lockstep::app {

namespace {

bool onTerminal() {
    return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0;
}

bool answersYes(const char* question) {
    std::fprintf(stderr, "%s [y/N] ", question);
    std::string answer;
    return std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
}

void show(const std::string& sentence, const std::vector<std::string>& effects) {
    std::fprintf(stderr, "%s\n", sentence.c_str());
    for (const std::string& effect : effects)
        std::fprintf(stderr, "  %s\n", effect.c_str());
}

void remember(const job::TrustedJobs& trusted, const std::filesystem::path& file,
              const std::vector<std::string>& effects) {
    if (auto added = trusted.add(file, effects); !added)
        say(stderr, "warning", "this will be asked again: " + added.error().message);
}

}  // namespace

bool consentToLaunch(const std::string& jobFile, const ResolvedJob& job) {
    const auto effects = job::launchEffects(job.spec, job.folder);
    const job::TrustedJobs trusted;
    if (trusted.contains(jobFile, effects)) return true;
    show(jobFile + " has not been launched like this before. It", effects);
    if (onTerminal() && !answersYes("Launch it?")) return false;
    remember(trusted, jobFile, effects);
    return true;
}

bool consentToExamine(const std::string& jobFile, const ResolvedJob& job) {
    if (job::mayExamine(jobFile, job.spec, job.folder)) return true;
    const auto effects = job::loginEffects(job.spec, job.folder);
    show("The hosts of " + jobFile + " have not been examined before. Doing so", effects);
    if (onTerminal() && !answersYes("Examine them?")) return false;
    remember(job::TrustedJobs(), jobFile, effects);
    return true;
}

std::optional<std::vector<std::string>> consentToAttach(const std::filesystem::path& runDir) {
    auto effects = job::attachEffects(runDir);
    const job::TrustedJobs trusted = job::trustedRuns();
    if (trusted.contains(runDir, effects)) return effects;
    if (!onTerminal()) return std::vector<std::string>();  // it is refused, with the reason
    show(runDir.string() + " is not known as a run of this user. Following it", effects);
    if (!answersYes("Follow it?")) return std::nullopt;
    remember(trusted, runDir, effects);
    return effects;
}

}  // namespace lockstep::app
