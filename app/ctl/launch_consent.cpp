// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/launch_consent.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "core/job/trust.h"

namespace lockstep::app {

namespace {

bool answersYes() {
    std::fprintf(stderr, "Launch it? [y/N] ");
    std::string answer;
    return std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
}

}  // namespace

bool consentToLaunch(const std::string& jobFile, const ResolvedJob& job) {
    const auto effects = job::launchEffects(job.spec, job.folder);
    const job::TrustedJobs trusted;
    if (trusted.contains(jobFile, effects)) return true;
    std::fprintf(stderr, "%s has not been launched like this before. It\n", jobFile.c_str());
    for (const std::string& effect : effects)
        std::fprintf(stderr, "  %s\n", effect.c_str());
    const bool terminal = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0;
    if (terminal && !answersYes()) return false;
    if (auto added = trusted.add(jobFile, effects); !added)
        std::fprintf(stderr, "warning: this will be asked again: %s\n",
                     added.error().message.c_str());
    return true;
}

}  // namespace lockstep::app
