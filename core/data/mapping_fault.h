// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace lockstep::data {

/// A file that somebody cuts short while it is mapped cannot be read behind its new end: the kernel
/// answers with SIGBUS, which would end the program without a word. What is noted here ends it with
/// `error: FILE was cut short …` and status 1 instead, unless the program has a handler of its own.
/// Any thread. Above 256 files at once the rest are not noted.
class MappingNote {
public:
    MappingNote(const void* memory, std::size_t size, const std::filesystem::path& path);
    ~MappingNote();
    MappingNote(const MappingNote&) = delete;
    MappingNote& operator=(const MappingNote&) = delete;

private:
    int slot_;
};

}  // namespace lockstep::data
