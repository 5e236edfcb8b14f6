// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep {

/// The first thing that every program does, before any thread and any file. What it was started
/// with then fails where it is used and is said there, instead of killing it or hitting a file:
/// a closed pipe (SIGPIPE) and a limit of files' sizes (SIGXFSZ) are errors of the write, and a
/// standard input, output or error that is closed leads to /dev/null, for the next file that is
/// opened would get its number. An exception that nobody catches ends the program with one line
/// that begins with `error: `: with status 1 where memory or threads have run out, else, since
/// that is a defect, by abort.
void prepareProgram();

}  // namespace lockstep
