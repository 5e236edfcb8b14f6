// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_writer.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/training_state.h"

namespace lockstep::checkpoint {

namespace {

std::vector<SafetensorView> viewsOf(const std::vector<TensorRef>& tensors) {
    std::vector<SafetensorView> views;
    views.reserve(tensors.size());
    for (const TensorRef& tensor : tensors)
        views.push_back({tensor.name, DType::F32, tensor.shape,
                         std::string_view(reinterpret_cast<const char*>(tensor.values.data()),
                                          tensor.values.size_bytes())});
    return views;
}

/// Writes one file and notes in the manifest what a reader must find.
Result<void> writeFile(const std::filesystem::path& folder, const char* name, std::string_view text,
                       Manifest& manifest) {
    FileRecord& record = manifest.files[name];
    record.bytes = text.size();
    record.hash = contentHash(text);
    return writeNewFileDurably(folder / name, std::as_bytes(std::span(text.data(), text.size())));
}

Result<void> writeTensors(const std::filesystem::path& folder, const char* name,
                          const std::vector<TensorRef>& tensors, Manifest& manifest) {
    const std::vector<SafetensorView> views = viewsOf(tensors);
    for (const SafetensorView& view : views)
        manifest.files[name].tensors[view.name] = contentHash(view.bytes);
    const auto text = encodeSafetensors(views, {{"format", "pt"}});
    if (!text) return failWithin(name, text.error());
    return writeFile(folder, name, *text, manifest);
}

}  // namespace

Result<std::uint64_t> writeCheckpoint(const std::filesystem::path& folder,
                                      const Snapshot& snapshot) {
    if (::mkdir(folder.c_str(), 0755) != 0)
        return fail(errno == ENOSPC || errno == EDQUOT ? ErrorCode::NoRoom : ErrorCode::Io,
                    fmt::format("cannot create {}: {}", folder.string(), errnoText()));
    Manifest manifest{snapshot.state.step, {}};
    TRY(writeTensors(folder, kModelFile, snapshot.model, manifest));
    TRY(writeTensors(folder, kOptimizerFile, snapshot.optimizer, manifest));
    TRY(writeFile(folder, kStateFile, TRY(encodeState(snapshot.state)), manifest));
    const std::string text = encodeManifest(manifest);
    TRY(writeNewFileDurably(folder / kManifestFile,
                            std::as_bytes(std::span(text.data(), text.size()))));
    TRY(syncFolder(folder));
    std::uint64_t bytes = text.size();
    for (const auto& [name, record] : manifest.files)
        bytes += record.bytes;
    return bytes;
}

}  // namespace lockstep::checkpoint
