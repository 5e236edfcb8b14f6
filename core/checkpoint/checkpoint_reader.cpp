// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/training_state.h"

namespace lockstep::checkpoint {

namespace {

constexpr std::uint64_t kLargestManifest = 64 << 20;

tl::unexpected<Error> failReading(const char* name) {
    const ErrorCode code = errno == ENOENT || errno == ELOOP ? ErrorCode::Corrupt : ErrorCode::Io;
    return fail(code, fmt::format("cannot read {}: {}", name, errnoText()));
}

/// A regular file of the folder. With `expected` its size must be that; it is checked before
/// anything is allocated. Read, not mapped: a file that shrinks must not kill the process.
Result<std::string> readWhole(int folder, const char* name, std::optional<std::uint64_t> expected) {
    const UniqueFd fd(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd.valid()) return failReading(name);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return failReading(name);
    if (!S_ISREG(status.st_mode))
        return fail(ErrorCode::Corrupt, fmt::format("{} is not a regular file", name));
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (expected && size != *expected)
        return fail(ErrorCode::Corrupt,
                    fmt::format("{} has {} bytes; its manifest says {}", name, size, *expected));
    if (!expected && size > kLargestManifest)
        return fail(ErrorCode::Corrupt, fmt::format("{} has {} bytes, too many", name, size));
    std::string text(size, '\0');
    std::size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t got = ::read(fd.get(), text.data() + filled, text.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failReading(name);
        if (got == 0) return fail(ErrorCode::Corrupt, fmt::format("{} shrank while read", name));
        filled += static_cast<std::size_t>(got);
    }
    return text;
}

/// A file that the manifest lists, with the size and checksum it lists.
Result<std::string> readListed(int folder, const char* name, const Manifest& manifest) {
    const auto record = manifest.files.find(name);
    if (record == manifest.files.end())
        return fail(ErrorCode::Corrupt, fmt::format("the manifest does not list {}", name));
    auto text = readWhole(folder, name, record->second.bytes);
    if (!text) return text;
    if (contentHash(*text) != record->second.hash)
        return fail(ErrorCode::Corrupt, fmt::format("{} does not match its checksum", name));
    return text;
}

Result<Tensor> toTensor(const SafetensorView& view) {
    if (view.dtype != DType::F32)
        return fail(ErrorCode::Corrupt, fmt::format("tensor {} is not F32", view.name));
    Tensor tensor{view.name, view.shape, std::vector<float>(view.bytes.size() / sizeof(float))};
    if (!view.bytes.empty())
        std::memcpy(tensor.values.data(), view.bytes.data(), view.bytes.size());
    return tensor;
}

Result<std::vector<Tensor>> readTensors(int folder, const char* name, const Manifest& manifest) {
    const auto text = TRY(readListed(folder, name, manifest));
    const auto content = parseSafetensors(text);
    if (!content) return failWithin(name, content.error());
    const auto& listed = manifest.files.at(name).tensors;
    if (content->tensors.size() != listed.size())
        return fail(ErrorCode::Corrupt,
                    fmt::format("{} holds {}; its manifest lists {}", name,
                                counted(content->tensors.size(), "tensor"), listed.size()));
    std::vector<Tensor> tensors;
    for (const SafetensorView& view : content->tensors) {
        const auto hash = listed.find(view.name);
        if (hash == listed.end() || hash->second != contentHash(view.bytes))
            return fail(ErrorCode::Corrupt,
                        fmt::format("{}: tensor {} does not match its checksum", name, view.name));
        auto tensor = toTensor(view);
        if (!tensor) return failWithin(name, tensor.error());
        tensors.push_back(std::move(*tensor));
    }
    return tensors;
}

}  // namespace

Result<Manifest> readManifest(int folder, std::int64_t step) {
    const auto text = TRY(readWhole(folder, kManifestFile, std::nullopt));
    auto manifest = parseManifest(text);
    if (!manifest) return failWithin(kManifestFile, manifest.error());
    if (manifest->step != step)
        return fail(ErrorCode::Corrupt, fmt::format("its manifest is of step {}", manifest->step));
    return manifest;
}

Result<LoadedCheckpoint> readCheckpoint(int folder, std::int64_t step) {
    const auto manifest = TRY(readManifest(folder, step));
    const auto stateText = TRY(readListed(folder, kStateFile, manifest));
    auto state = parseState(stateText);
    if (!state) return failWithin(kStateFile, state.error());
    if (state->step != step)
        return fail(ErrorCode::Corrupt, fmt::format("{} is of step {}", kStateFile, state->step));
    auto model = TRY(readTensors(folder, kModelFile, manifest));
    auto optimizer = TRY(readTensors(folder, kOptimizerFile, manifest));
    LoadedCheckpoint loaded{
        manifest.format, std::move(*state), std::move(model), std::move(optimizer), 0, {}};
    loaded.modelHash = manifest.files.at(kModelFile).hash;
    for (const auto& [name, record] : manifest.files)
        loaded.bytes += record.bytes;
    return loaded;
}

}  // namespace lockstep::checkpoint
