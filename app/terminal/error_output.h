// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <string>

#include "core/base/result.h"

namespace lockstep::app {

/// Prints `error: SENTENCE` and up to four lines of remedy to standard error; returns the exit
/// status that it stands for.
int report(const Error& error);
void printError(const std::string& sentence, const std::string& remedy);

/// The exit status of a command that has said all on standard output: 0, or what is reported where
/// not all of it could be written.
[[nodiscard]] int finishOutput();

/// Why standard output takes no more, by errno or `error`. Where whoever reads has had enough
/// (`| head`), this program ends as other tools do, without a word.
[[nodiscard]] Error outputFailure(int error = errno);

}  // namespace lockstep::app
