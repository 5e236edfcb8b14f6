// SPDX-License-Identifier: Apache-2.0
#include "core/data/arrays/array_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/data/arrays/zip_archive.h"
#include "core/data/source_file.h"

namespace lockstep::data {

namespace {

constexpr std::string_view kNpz = ".npz";
constexpr std::string_view kNpy = ".npy";

std::string withoutEnding(const std::string& name) {
    return name.ends_with(kNpy) ? name.substr(0, name.size() - kNpy.size()) : name;
}

Result<NpyArray> arrayOf(const SharedBytes& file, const std::string& wanted, ScratchBytes scratch) {
    const ZipArchive archive = TRY(ZipArchive::open(file));
    std::vector<std::string> names;
    for (const ZipEntry& entry : archive.entries())
        names.push_back(sanitizeLine(withoutEnding(entry.name), 60));
    if (wanted.empty() && names.size() != 1)
        return fail(ErrorCode::BadInput,
                    fmt::format("it holds {} arrays, and which of them is not said", names.size()),
                    names.empty()
                        ? "Save it again."
                        : fmt::format("Write FILE.npz:NAME; its arrays are {}.", joinWords(names)));
    const auto& entries = archive.entries();
    const auto entry =
        wanted.empty() ? entries.begin() : std::ranges::find_if(entries, [&](const ZipEntry& e) {
            return withoutEnding(e.name) == wanted;
        });
    if (entry == entries.end())
        return fail(
            ErrorCode::BadInput, fmt::format("it holds no array {}", sanitizeLine(wanted, 60)),
            names.empty() ? "It is empty." : fmt::format("Its arrays are {}.", joinWords(names)));
    return parseNpy(TRY(archive.read(*entry, std::move(scratch))));
}

/// An array, or why there is none, under the name that the job gives it.
Result<NpyArray> underName(const std::string& key, const std::string& name,
                           Result<NpyArray> array) {
    if (!array)
        return failWithin(fmt::format("{}: {}", key, sanitizeLine(name, 200)), array.error());
    return array;
}

}  // namespace

Result<NpyArray> openArray(const std::string& key, const std::string& name,
                           const std::filesystem::path& jobFolder, ScratchBytes scratch) {
    const config::ArrayName parts = config::arrayNameOf(name);
    const std::filesystem::path path = jobFolder / parts.file;
    if (parts.file.ends_with(kNpz)) {
        const SharedBytes file = TRY(openSource(key, path));
        return underName(key, name, arrayOf(file, parts.array, std::move(scratch)));
    }
    const SharedBytes file = TRY(openSource(key, path, std::move(scratch)));
    return underName(key, name, parseNpy(file));
}

}  // namespace lockstep::data
