// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/error_output.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <sstream>
#include <system_error>

#include "app/terminal/colour.h"
#include "core/base/exit_status.h"
#include "core/base/sanitize_lines.h"

namespace lockstep::app {

namespace {
constexpr int kMostRemedyLines = 4;
constexpr std::size_t kLongestLine = 16 << 10;
}  // namespace

int report(const Error& error) {
    printError(error.message, error.remedy);
    return exitStatusOf(error.code);
}

void printError(const std::string& sentence, const std::string& remedy) {
    std::string line = sanitizeLines(sentence, kLongestLine);
    std::replace(line.begin(), line.end(), '\n', ' ');  // exactly one line begins with `error: `
    say(stderr, "error", line);
    std::istringstream lines(remedy);
    int printed = 0;
    for (std::string text; printed < kMostRemedyLines && std::getline(lines, text); ++printed)
        std::fprintf(stderr, "  %s\n", sanitizeLines(text, kLongestLine).c_str());
}

int finishOutput() {
    // What was refused before has left the stream with its mark alone, and perhaps another errno.
    const bool wasRefused = std::ferror(stdout) != 0;
    if (std::fflush(stdout) != 0) return report(outputFailure());
    return wasRefused ? report(outputFailure(EIO)) : 0;
}

Error outputFailure(int error) {
    if (error == EPIPE) {
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    return {ErrorCode::Io,
            "cannot write to standard output: " + std::generic_category().message(error),
            "Make room, or write to another place."};
}

}  // namespace lockstep::app
