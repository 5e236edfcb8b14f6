// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/tar_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/try.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kLongestName = std::size_t{1} << 16;
constexpr std::size_t kSumAt = 148;
constexpr std::size_t kSumBytes = 8;

/// A text that ends with its first zero byte, or its field.
std::string_view textAt(std::string_view block, std::size_t at, std::size_t bytes) {
    const std::string_view field = block.substr(at, bytes);
    return field.substr(0, field.find('\0'));
}

/// Octal digits between spaces; of GNU also a binary number, for sizes of 8 GiB or more.
std::optional<std::uint64_t> numberAt(std::string_view block, std::size_t at, std::size_t bytes) {
    std::uint64_t number = 0;
    if ((static_cast<unsigned char>(block[at]) & 0x80U) != 0) {
        for (std::size_t i = bytes - 8; i < bytes; ++i)
            number = number << 8U | static_cast<unsigned char>(block[at + i]);
        return number;
    }
    std::string_view digits = textAt(block, at, bytes);
    while (digits.starts_with(' '))
        digits.remove_prefix(1);
    while (digits.ends_with(' '))
        digits.remove_suffix(1);
    if (digits.empty()) return 0;
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    const auto read = std::from_chars(begin, end, number, 8);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return number;
}

bool hasRightSum(std::string_view block) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i)
        sum += i >= kSumAt && i < kSumAt + kSumBytes ? ' ' : static_cast<unsigned char>(block[i]);
    return numberAt(block, kSumAt, kSumBytes) == sum;
}

/// "path" of a pax header, whose records are "LENGTH KEY=VALUE\n".
std::string paxPath(std::string_view records) {
    std::string path;
    while (!records.empty()) {
        std::size_t length = 0;
        const auto read = std::from_chars(records.data(), records.data() + records.size(), length);
        if (read.ec != std::errc() || length == 0 || length > records.size()) break;
        std::string_view record = records.substr(0, length);
        records.remove_prefix(length);
        record.remove_prefix(std::min(record.find(' ') + 1, record.size()));
        constexpr std::string_view kPath = "path=";
        if (record.starts_with(kPath) && record.ends_with('\n'))
            path = record.substr(kPath.size(), record.size() - kPath.size() - 1);
    }
    return path;
}

std::string nameOf(std::string_view block) {
    const std::string_view name = textAt(block, 0, 100);
    const std::string_view prefix =
        block.substr(257, 5) == "ustar" && block[262] == '\0' ? textAt(block, 345, 155) : "";
    return prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
}

void addFile(std::string name, std::uint64_t at, std::uint64_t bytes,
             std::vector<TarEntry>& entries) {
    while (name.starts_with("./"))
        name.erase(0, 2);
    entries.push_back({std::move(name), at, bytes});
}

}  // namespace

Result<std::vector<TarEntry>> readTar(std::string_view archive) {
    std::vector<TarEntry> entries;
    std::string longName;
    std::size_t at = 0;
    for (; archive.size() - at >= kBlock; at += kBlock) {
        const std::string_view block = archive.substr(at, kBlock);
        if (block.find_first_not_of('\0') == std::string_view::npos) return entries;  // the end
        const auto bytes = numberAt(block, 124, 12);
        if (!bytes || !hasRightSum(block))
            return fail(ErrorCode::BadInput,
                        at == 0 ? "it is no tar archive" : "it is a damaged tar archive");
        const std::size_t begin = at + kBlock;
        if (*bytes > archive.size() - begin)
            return fail(ErrorCode::BadInput, "it is a tar archive that is cut off");
        const char kind = block[156];
        const std::string_view content =
            archive.substr(begin, std::min<std::size_t>(*bytes, kLongestName));
        if (kind == 'L')
            longName = content.substr(0, content.find('\0'));
        else if (kind == 'x')
            longName = paxPath(content);
        else if (kind == '0' || kind == '\0')
            addFile(longName.empty() ? nameOf(block) : longName, begin, *bytes, entries);
        if (kind != 'L' && kind != 'x') longName.clear();
        at += (*bytes + kBlock - 1) / kBlock * kBlock;
        if (at > archive.size() - kBlock) break;
    }
    if (entries.empty()) return fail(ErrorCode::BadInput, "it is no tar archive");
    return fail(ErrorCode::BadInput, "it is a tar archive that is cut off");
}

}  // namespace lockstep::data
