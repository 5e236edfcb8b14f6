// SPDX-License-Identifier: Apache-2.0
#include "core/data/source_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/base/try.h"
#include "core/data/byte_source.h"

namespace lockstep::data {

namespace {

constexpr std::uint64_t kLargestPacked = (std::uint64_t{1} << 32) - 1;
constexpr std::size_t kLargestUnpacked = std::size_t{1} << 34;
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

Result<std::vector<std::uint8_t>> unpacked(std::string_view file) {
    if (file.size() > kLargestPacked)
        return fail(ErrorCode::BadInput, "it has 4 GiB of gzipped bytes or more", "Unpack it.");
    auto source = TRY(openByteSource(file));
    std::vector<std::uint8_t> all;
    for (;;) {
        const std::size_t before = all.size();
        if (before > kLargestUnpacked)
            return fail(ErrorCode::BadInput, "it unpacks to more than 16 GiB",
                        "Unpack it: what is not gzipped is read page by page.");
        all.resize(before + kPiece + before / 2);
        const std::size_t got = TRY(source->read(std::span(all).subspan(before)));
        all.resize(before + got);
        if (got == 0) break;
    }
    TRY(source->expectEnd());
    all.shrink_to_fit();
    return all;
}

Result<void> refuseOtherEncodings(std::string_view text) {
    for (const std::string_view mark : {std::string_view("\xff\xfe"), std::string_view("\xfe\xff"),
                                        std::string_view("\0\0\xfe\xff", 4)})
        if (text.starts_with(mark))
            return fail(ErrorCode::BadInput, "it is not UTF-8, but UTF-16 or UTF-32",
                        "Convert it, for example with: iconv -f UTF-16 -t UTF-8");
    return {};
}

}  // namespace

std::string_view textOf(const SharedBytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<SharedBytes> openSource(const std::string& key, const std::filesystem::path& path) {
    TRY(checkSource(key, path));
    const auto file = mapFile(path);
    if (!file) return fail(ErrorCode::BadInput, key + ": " + file.error().message);
    if (!textOf(*file).starts_with(kGzipMagic)) return *file;
    auto all = unpacked(textOf(*file));
    if (!all) return failWithin(fmt::format("{}: {}", key, path.string()), all.error());
    return SharedBytes(*std::move(all));
}

Result<SharedBytes> openText(const std::string& key, const std::filesystem::path& path) {
    const SharedBytes file = TRY(openSource(key, path));
    if (auto fits = refuseOtherEncodings(textOf(file)); !fits)
        return failWithin(fmt::format("{}: {}", key, path.string()), fits.error());
    if (!textOf(file).starts_with(kUtf8Mark)) return file;
    return file.part(kUtf8Mark.size(), file.size() - kUtf8Mark.size());
}

Result<void> checkSource(const std::string& key, const std::filesystem::path& path) {
    std::error_code error;
    const auto kind = std::filesystem::status(path, error).type();
    if (kind == std::filesystem::file_type::regular) return {};
    const std::string shown = path.lexically_normal().string();
    if (kind == std::filesystem::file_type::not_found || kind == std::filesystem::file_type::none)
        return fail(ErrorCode::BadInput, fmt::format("{}: there is no file {}", key, shown),
                    "Paths are relative to the job file.");
    return fail(ErrorCode::BadInput, fmt::format("{}: {} is no file", key, shown),
                "Name the file itself.");
}

}  // namespace lockstep::data
