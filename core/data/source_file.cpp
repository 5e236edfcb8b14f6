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

Result<SharedBytes> unpacked(std::string_view file, ScratchBytes into) {
    if (file.size() > kLargestPacked)
        return fail(ErrorCode::BadInput, "it has 4 GiB of gzipped bytes or more", "Unpack it.");
    auto source = TRY(openByteSource(file));
    std::vector<std::uint8_t> piece(kPiece);
    for (std::size_t all = 0;;) {
        const std::size_t got = TRY(source->read(piece));
        TRY(into.append(std::span(piece).first(got)));
        all += got;
        if (got == 0) break;
        if (all > kLargestUnpacked)
            return fail(ErrorCode::BadInput, "it unpacks to more than 16 GiB",
                        "Unpack it: what is not gzipped is read page by page.");
    }
    TRY(source->expectEnd());
    return into.take();
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

Result<SharedBytes> openSource(const std::string& key, const std::filesystem::path& path,
                               ScratchBytes scratch) {
    TRY(checkSource(key, path));
    const auto file = mapFile(path);
    if (!file) return fail(ErrorCode::BadInput, key + ": " + file.error().message);
    if (!textOf(*file).starts_with(kGzipMagic)) return *file;
    auto all = unpacked(textOf(*file), std::move(scratch));
    if (!all) return failWithin(fmt::format("{}: {}", key, path.string()), all.error());
    return all;
}

Result<SharedBytes> openText(const std::string& key, const std::filesystem::path& path,
                             ScratchBytes scratch) {
    SharedBytes file = TRY(openSource(key, path, std::move(scratch)));
    if (auto fits = refuseOtherEncodings(textOf(file)); !fits)
        return failWithin(fmt::format("{}: {}", key, path.string()), fits.error());
    if (!textOf(file).starts_with(kUtf8Mark)) return file;
    return file.part(kUtf8Mark.size(), file.size() - kUtf8Mark.size());
}

std::string identityOf(const std::vector<std::filesystem::path>& files) {
    std::string identity;
    for (const auto& path : files) {
        std::error_code error;
        const auto whole = std::filesystem::weakly_canonical(path, error);
        const auto bytes = std::filesystem::file_size(path, error);
        const auto written = std::filesystem::last_write_time(path, error);
        identity +=
            fmt::format("{} {} {}\n", whole.string(), bytes, written.time_since_epoch().count());
    }
    return identity;
}

std::uint64_t sizeOf(const std::vector<std::filesystem::path>& files) {
    std::uint64_t all = 0;
    for (const auto& path : files) {
        std::error_code error;
        const auto bytes = std::filesystem::file_size(path, error);
        if (!error) all += bytes;
    }
    return all;
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
