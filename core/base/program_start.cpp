// SPDX-License-Identifier: Apache-2.0
#include "core/base/program_start.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "core/base/thread.h"

namespace lockstep {

namespace {

/// Without allocating: memory may be what is missing.
void say(const char* sentence, const char* why) {
    std::fprintf(stderr, "error: %s%s%s\n", sentence, *why != '\0' ? ": " : "", why);
}

[[noreturn]] void endInWords() {
    if (const std::exception_ptr thrown = std::current_exception()) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {
            say("there is not enough memory", "");
            std::_Exit(1);
        } catch (const std::system_error& error) {
            say("the system refuses what is needed", error.what());
            std::_Exit(1);
        } catch (const std::exception& error) {
            say("this is a defect of Lockstep", error.what());
        } catch (...) {
            say("this is a defect of Lockstep", "an exception without words");
        }
    }
    std::abort();
}

}  // namespace

void prepareProgram() {
    ignoreSigpipe();
    std::signal(SIGXFSZ, SIG_IGN);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)::open("/dev/null", O_RDWR);  // gets the lowest number that is free: this one
    std::set_terminate(endInWords);
}

}  // namespace lockstep
