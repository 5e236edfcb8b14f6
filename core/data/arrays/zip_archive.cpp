// SPDX-License-Identifier: Apache-2.0
#include "core/data/arrays/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/source_file.h"

namespace lockstep::data {

namespace {

constexpr std::string_view kEnd = "PK\5\6";
constexpr std::string_view kEnd64 = "PK\6\6";
constexpr std::string_view kEnd64Place = "PK\6\7";
constexpr std::string_view kDirectory = "PK\1\2";
constexpr std::string_view kFile = "PK\3\4";
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kPlaceBytes = 20;
constexpr std::size_t kDirectoryBytes = 46;
constexpr std::size_t kFileBytes = 30;
constexpr std::size_t kLongestComment = 65'535;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;    ///< The true value is in the part of 64 bits.
constexpr std::uint64_t kLargestRatio = 1032;  // what deflate can reach
constexpr std::uint16_t kEncrypted = 1;

tl::unexpected<Error> damaged(std::string_view what) {
    return fail(ErrorCode::BadInput, fmt::format("it is a damaged zip archive: {}", what),
                "The file is cut off or damaged; save it again.");
}

/// A number of `bytes` bytes at `at`, which lie within.
std::uint64_t number(std::string_view text, std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
        value |= std::uint64_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
    return value;
}

struct Directory {
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
};

Result<Directory> findDirectory(std::string_view text) {
    const std::size_t first = text.size() - std::min(text.size(), kEndBytes + kLongestComment);
    const std::size_t end = text.rfind(kEnd);
    if (end == std::string_view::npos || end < first || text.size() - end < kEndBytes)
        return damaged("its directory is missing");
    Directory found{number(text, end + 16, 4), number(text, end + 12, 4),
                    number(text, end + 10, 2)};
    const bool has64 =
        end >= kPlaceBytes && text.substr(end - kPlaceBytes).starts_with(kEnd64Place);
    if (has64) {
        const std::uint64_t at = number(text, end - kPlaceBytes + 8, 8);
        if (at > text.size() || text.size() - at < 56 || !text.substr(at).starts_with(kEnd64))
            return damaged("its directory is missing");
        found = {number(text, at + 48, 8), number(text, at + 40, 8), number(text, at + 32, 8)};
    }
    if (found.at > text.size() || text.size() - found.at < found.bytes)
        return damaged("its directory lies behind its end");
    return found;
}

/// The sizes and the place that do not fit in 32 bits, in their order.
bool takeWide(std::string_view extra, ZipEntry& entry) {
    while (extra.size() >= 4) {
        const std::uint64_t kind = number(extra, 0, 2);
        const std::uint64_t size = number(extra, 2, 2);
        if (extra.size() - 4 < size) return false;
        std::string_view field = extra.substr(4, size);
        extra.remove_prefix(4 + size);
        if (kind != 1) continue;
        for (std::uint64_t* value : {&entry.bytes, &entry.packedBytes, &entry.at}) {
            if (*value != kIn64) continue;
            if (field.size() < 8) return false;
            *value = number(field, 0, 8);
            field.remove_prefix(8);
        }
    }
    return true;
}

/// Takes an entry from the front of the directory; none where it is damaged.
std::optional<ZipEntry> takeEntry(std::string_view& rest) {
    if (rest.size() < kDirectoryBytes || !rest.starts_with(kDirectory)) return std::nullopt;
    ZipEntry entry;
    entry.flags = static_cast<std::uint16_t>(number(rest, 8, 2));
    entry.method = static_cast<std::uint16_t>(number(rest, 10, 2));
    entry.checksum = static_cast<std::uint32_t>(number(rest, 16, 4));
    entry.packedBytes = number(rest, 20, 4);
    entry.bytes = number(rest, 24, 4);
    entry.at = number(rest, 42, 4);
    const std::size_t name = number(rest, 28, 2);
    const std::size_t extra = number(rest, 30, 2);
    const std::size_t comment = number(rest, 32, 2);
    rest.remove_prefix(kDirectoryBytes);
    if (rest.size() < name + extra + comment) return std::nullopt;
    entry.name = rest.substr(0, name);
    if (!takeWide(rest.substr(name, extra), entry)) return std::nullopt;
    rest.remove_prefix(name + extra + comment);
    return entry;
}

Result<SharedBytes> inflated(std::string_view packed, std::uint64_t bytes, ScratchBytes into) {
    if (bytes > packed.size() * kLargestRatio + 64)
        return damaged("an array of it cannot unpack to so much");
    z_stream stream{};
    constexpr int kRawWithLargestWindow = -15;
    if (inflateInit2(&stream, kRawWithLargestWindow) != Z_OK)
        return fail(ErrorCode::Unavailable, "there is no memory to unpack it");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
    std::vector<std::uint8_t> piece(std::size_t{1} << 20);
    int status = Z_OK;
    std::size_t taken = 0;
    std::uint64_t made = 0;
    do {  // zlib counts in 32 bits
        const std::size_t in = std::min(packed.size() - taken, kMostAtOnce);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
        stream.avail_in = static_cast<uInt>(in);
        stream.next_out = piece.data();
        stream.avail_out = static_cast<uInt>(piece.size());
        status = inflate(&stream, Z_NO_FLUSH);
        const std::size_t got = piece.size() - stream.avail_out;
        TRY(into.append(std::span(piece).first(got)));
        made += got;
        if (in == stream.avail_in && got == 0) break;
        taken += in - stream.avail_in;
    } while (status == Z_OK && made <= bytes);
    if (status != Z_STREAM_END || made != bytes)
        return damaged("an array of it cannot be unpacked");
    return into.take();
}

std::uint32_t checksumOf(const SharedBytes& bytes) {
    return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), bytes.data(), bytes.size()));
}

}  // namespace

Result<ZipArchive> ZipArchive::open(SharedBytes file) {
    ZipArchive archive(std::move(file));
    const std::string_view text = textOf(archive.file_);
    if (text.empty()) return fail(ErrorCode::BadInput, "it is empty");
    if (!text.starts_with(kFile) && !text.starts_with(kEnd))
        return fail(ErrorCode::BadInput, "it is no .npz file", "Save it with numpy.savez.");
    const Directory directory = TRY(findDirectory(text));
    std::string_view rest = text.substr(directory.at, directory.bytes);
    while (!rest.empty()) {
        auto entry = takeEntry(rest);
        if (!entry) return damaged("its directory cannot be read");
        archive.entries_.push_back(*std::move(entry));
    }
    if (archive.entries_.size() != directory.entries)
        return damaged("its directory has fewer entries than it says");
    return archive;
}

Result<SharedBytes> ZipArchive::packedBytes(const ZipEntry& entry) const {
    const std::string_view text = textOf(file_);
    if (entry.at > text.size() || text.size() - entry.at < kFileBytes ||
        !text.substr(entry.at).starts_with(kFile))
        return damaged("an array of it is missing");
    const std::uint64_t begin =
        entry.at + kFileBytes + number(text, entry.at + 26, 2) + number(text, entry.at + 28, 2);
    if (begin > text.size() || text.size() - begin < entry.packedBytes)
        return damaged("an array of it is cut off");
    return file_.part(begin, entry.packedBytes);
}

Result<SharedBytes> ZipArchive::read(const ZipEntry& entry, ScratchBytes scratch) const {
    if ((entry.flags & kEncrypted) != 0)
        return fail(ErrorCode::BadInput, "it is encrypted", "Save it with numpy.savez.");
    SharedBytes bytes = TRY(packedBytes(entry));
    constexpr std::uint16_t kStored = 0;
    constexpr std::uint16_t kDeflated = 8;
    if (entry.method == kDeflated)
        bytes = TRY(inflated(textOf(bytes), entry.bytes, std::move(scratch)));
    else if (entry.method != kStored)
        return fail(ErrorCode::BadInput,
                    fmt::format("it is packed by method {} of zip, and none and deflate are read",
                                entry.method),
                    "Save it with numpy.savez or savez_compressed.");
    if (bytes.size() != entry.bytes || checksumOf(bytes) != entry.checksum)
        return damaged(fmt::format("{} does not match its checksum", sanitizeLine(entry.name, 80)));
    return bytes;
}

}  // namespace lockstep::data
