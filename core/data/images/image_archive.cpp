// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/image_archive.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/source_file.h"

namespace lockstep::data {

namespace fs = std::filesystem;

namespace {

struct Parts {
    std::string file;    ///< Empty: the path is of no archive.
    std::string folder;  ///< In it; empty: the whole.
};

bool endsAsArchive(std::string_view name) {
    constexpr std::array<std::string_view, 3> kEndings = {".tar", ".tar.gz", ".tgz"};
    for (const std::string_view ending : kEndings)
        if (name.ends_with(ending)) return true;
    return false;
}

Parts partsOf(const fs::path& path) {
    const std::string text = path.string();
    if (endsAsArchive(text)) return {text, {}};
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || !endsAsArchive(text.substr(0, colon))) return {};
    std::string folder = text.substr(colon + 1);
    while (folder.ends_with('/'))
        folder.pop_back();
    return {text.substr(0, colon), folder};
}

}  // namespace

bool namesArchive(const fs::path& path) {
    std::error_code error;
    return !partsOf(path).file.empty() && !fs::is_directory(path, error);
}

fs::path archiveFileOf(const fs::path& path) {
    return partsOf(path).file;
}

Result<ImageArchive> openImageArchive(const std::string& key, const fs::path& path) {
    const Parts parts = partsOf(path);
    ImageArchive archive{TRY(openSource(key, parts.file)), {}, 0};
    auto files = readTar(textOf(archive.bytes));
    if (!files) return failWithin(fmt::format("{}: {}", key, parts.file), files.error());
    const std::string before = parts.folder.empty() ? std::string() : parts.folder + "/";
    for (TarEntry& file : *files) {
        if (!file.name.starts_with(before)) continue;
        file.name.erase(0, before.size());
        archive.files.push_back(std::move(file));
    }
    if (archive.files.empty())
        return fail(ErrorCode::BadInput,
                    fmt::format("{}: {} holds no files{}", key, parts.file,
                                before.empty() ? "" : " in " + sanitizeLine(parts.folder, 80)),
                    "Write FILE.tar:FOLDER with the folder that holds the classes' folders.");
    std::error_code error;
    archive.written = fs::last_write_time(parts.file, error).time_since_epoch().count();
    return archive;
}

}  // namespace lockstep::data
