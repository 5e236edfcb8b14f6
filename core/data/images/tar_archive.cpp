// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/tar_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

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

/// "path" or "linkpath" of a pax header, whose records are "LENGTH KEY=VALUE\n".
std::string paxValue(std::string_view records, std::string_view key) {
    std::string value;
    while (!records.empty()) {
        std::size_t length = 0;
        const auto read = std::from_chars(records.data(), records.data() + records.size(), length);
        if (read.ec != std::errc() || length == 0 || length > records.size()) break;
        std::string_view record = records.substr(0, length);
        records.remove_prefix(length);
        record.remove_prefix(std::min(record.find(' ') + 1, record.size()));
        if (record.starts_with(key) && record.substr(key.size()).starts_with('=') &&
            record.ends_with('\n'))
            value = record.substr(key.size() + 1, record.size() - key.size() - 2);
    }
    return value;
}

std::string nameOf(std::string_view block) {
    const std::string_view name = textAt(block, 0, 100);
    const std::string_view prefix =
        block.substr(257, 5) == "ustar" && block[262] == '\0' ? textAt(block, 345, 155) : "";
    return prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
}

/// As entries are named: "./a//b/../c" is "a/c". Empty: it leads out of the archive.
std::string plainName(const std::string& name) {
    std::string plain = std::filesystem::path(name).lexically_normal().generic_string();
    const bool leadsOut = plain.starts_with('/') || plain == ".." || plain.starts_with("../");
    return leadsOut ? std::string() : plain;
}

/// Files and links as they come; of a name that comes again the last one counts, as when they are
/// unpacked.
class Contents {
public:
    void add(std::string name, TarEntry entry) {
        while (name.starts_with("./"))
            name.erase(0, 2);
        const auto [place, isNew] = places_.try_emplace(name, entries_.size());
        entry.name = std::move(name);
        if (isNew)
            entries_.push_back(std::move(entry));
        else
            entries_[place->second] = std::move(entry);
    }

    /// With what links lead to in their place.
    [[nodiscard]] std::vector<TarEntry> take() && {
        for (TarEntry& entry : entries_) {
            const TarEntry* file = &entry;
            for (int links = 0; file != nullptr && !file->linkedTo.empty(); ++links) {
                const auto place =
                    links < kMostLinks ? places_.find(file->linkedTo) : places_.end();
                file = place == places_.end() ? nullptr : &entries_[place->second];
            }
            if (file == nullptr || file == &entry) continue;
            entry.at = file->at;
            entry.bytes = file->bytes;
            followed_.push_back(&entry);
        }
        for (TarEntry* entry : followed_)
            entry->linkedTo.clear();
        return std::move(entries_);
    }
    [[nodiscard]] bool isEmpty() const { return entries_.empty(); }

private:
    static constexpr int kMostLinks = 40;  // as Linux follows

    std::vector<TarEntry> entries_;
    std::unordered_map<std::string, std::size_t> places_;
    std::vector<TarEntry*> followed_;
};

/// The file of the archive that a link of such a name leads to.
std::string targetOf(const std::string& name, const std::string& target, bool isSymbolic) {
    if (!isSymbolic || target.starts_with('/')) return plainName(target);
    return plainName((std::filesystem::path(name).parent_path() / target).string());
}

/// The names that stand before the entry which they are of, where its header has no room.
struct LongNames {
    std::string name;
    std::string link;

    /// Whether the block of that kind is one of names.
    bool take(char kind, std::string_view content) {
        if (kind == 'L') name = content.substr(0, content.find('\0'));
        if (kind == 'K') link = content.substr(0, content.find('\0'));
        if (kind == 'x') {
            name = paxValue(content, "path");
            link = paxValue(content, "linkpath");
        }
        return kind == 'L' || kind == 'K' || kind == 'x';
    }
};

}  // namespace

Result<std::vector<TarEntry>> readTar(std::string_view archive) {
    Contents contents;
    LongNames names;
    std::size_t at = 0;
    for (; archive.size() - at >= kBlock; at += kBlock) {
        const std::string_view block = archive.substr(at, kBlock);
        if (block.find_first_not_of('\0') == std::string_view::npos)
            return std::move(contents).take();
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
        if (!names.take(kind, content)) {
            const auto [longName, longLink] = std::exchange(names, {});
            const std::string name = longName.empty() ? nameOf(block) : longName;
            const bool isLink = kind == '1' || kind == '2';
            const std::string link =
                longLink.empty() ? std::string(textAt(block, 157, 100)) : longLink;
            if (kind == '0' || kind == '\0')
                contents.add(name, {.name = {}, .at = begin, .bytes = *bytes});
            if (isLink && !link.empty()) {
                const std::string target = targetOf(name, link, kind == '2');
                contents.add(name, {.name = {}, .linkedTo = target.empty() ? link : target});
            }
        }
        at += (*bytes + kBlock - 1) / kBlock * kBlock;
        if (at > archive.size() - kBlock) break;
    }
    if (contents.isEmpty()) return fail(ErrorCode::BadInput, "it is no tar archive");
    return fail(ErrorCode::BadInput, "it is a tar archive that is cut off");
}

}  // namespace lockstep::data
