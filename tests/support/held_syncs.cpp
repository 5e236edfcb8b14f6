// SPDX-License-Identifier: Apache-2.0
// Loaded before a program (LD_PRELOAD), or part of a test, it lets no fsync() of a file of
// checkpoints return while the file that LOCKSTEP_TEST_HELD_SYNCS names is there: as a disk that
// stands still.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace {

bool isOfCheckpoints(int file) {
    char path[4096];
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t size = ::readlink(link.c_str(), path, sizeof path);
    return size > 0 &&
           std::string_view(path, static_cast<std::size_t>(size)).find("/checkpoints/") !=
               std::string_view::npos;
}

}  // namespace

extern "C" int fsync(int file) {
    using Function = int (*)(int);
    static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "fsync"));
    constexpr useconds_t kNap = 10'000;
    const char* const hold = std::getenv("LOCKSTEP_TEST_HELD_SYNCS");
    while (hold != nullptr && ::access(hold, F_OK) == 0 && isOfCheckpoints(file))
        ::usleep(kNap);  // a pause: the program that is held cannot be woken
    return real(file);
}
