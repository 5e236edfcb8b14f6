// SPDX-License-Identifier: Apache-2.0
#include "core/data/shared_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/base/file.h"
#include "core/data/mapping_fault.h"

namespace lockstep::data {

namespace {

tl::unexpected<Error> failed(const char* verb, const std::filesystem::path& path) {
    return fail(errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                fmt::format("cannot {} {}: {}", verb, path.string(), errnoText()));
}

}  // namespace

Result<SharedBytes> mapFile(const std::filesystem::path& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) return failed("open", path);
    return mapOpenFile(file.get(), path);
}

Result<SharedBytes> mapOpenFile(int file, const std::filesystem::path& path) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return failed("stat", path);
    if (!S_ISREG(status.st_mode))
        return fail(ErrorCode::BadInput, path.string() + " is not a regular file");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return SharedBytes();
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return failed("map", path);
    const auto note = std::make_shared<const MappingNote>(memory, size, path);
    const std::shared_ptr<const void> owner(
        memory, [size, note](const void* mapped) { ::munmap(const_cast<void*>(mapped), size); });
    return SharedBytes(owner, {static_cast<const std::uint8_t*>(memory), size}, true);
}

}  // namespace lockstep::data
