// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstddef>

// ThreadSanitizer knows memory by its address. Where one segment is mapped several times in a
// process, as tests do, what orders two accesses goes through an address that it takes for another
// memory. These tell it: whoever sees a counter of the segment has seen what came before it. They
// are nothing in other builds, and nothing for segments with one mapping.
#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace lockstep::collective {

/// One for all mappings of the file behind `fd`; null for private memory (-1).
inline void* raceDetectorKey(int fd) {
#if defined(__SANITIZE_THREAD__)
    static std::array<char, 1024> keys;
    struct stat status {};
    if (fd >= 0 && fstat(fd, &status) == 0) return &keys[status.st_ino % keys.size()];
#else
    static_cast<void>(fd);
#endif
    return nullptr;
}

inline void tellAnnounced(void* key) {
#if defined(__SANITIZE_THREAD__)
    if (key != nullptr) __tsan_release(key);
#else
    static_cast<void>(key);
#endif
}

inline void tellSeen(void* key) {
#if defined(__SANITIZE_THREAD__)
    if (key != nullptr) __tsan_acquire(key);
#else
    static_cast<void>(key);
#endif
}

}  // namespace lockstep::collective
