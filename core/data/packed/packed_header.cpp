// SPDX-License-Identifier: Apache-2.0
#include "core/data/packed/packed_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "core/base/hash.h"

namespace lockstep::data {

namespace {

constexpr int kVersion = 2;

struct Sizes {
    std::string checksum;
    std::vector<std::uint64_t> sections;
    std::uint64_t meaning = 0;
};

std::string firstLine() {
    return fmt::format("{}{}\n", kPackedMagic, kVersion);
}

std::string firstLines(const std::string& source) {
    return fmt::format("{}{}\n", firstLine(), contentHash(source));
}

/// What the header says, as far as the file's size bears it out.
bool readSizes(std::istream& header, std::uint64_t bytes, Sizes& sizes) {
    std::size_t count = 0;
    header >> sizes.checksum >> count;
    if (!header || count > kMostSections) return false;
    sizes.sections.resize(count);
    std::uint64_t all = 0;
    for (std::uint64_t& section : sizes.sections) {
        if (!(header >> section) || section > bytes) return false;
        all += section + paddingBehind(section);
    }
    return header >> sizes.meaning && sizes.meaning <= bytes && all + sizes.meaning == bytes;
}

}  // namespace

std::string packedHeader(const std::string& source, const std::string& checksum,
                         const std::vector<std::uint64_t>& sections, std::uint64_t meaningBytes) {
    std::string header = fmt::format("{}{}\n{} {} {}\n", firstLines(source), checksum,
                                     sections.size(), fmt::join(sections, " "), meaningBytes);
    header.resize(kPackedHeaderBytes, '\n');
    return header;
}

Result<PackedData> parsePacked(const SharedBytes& file, const std::string& source) {
    const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
    const std::string known = firstLines(source);
    if (!all.starts_with(firstLine()))
        return fail(ErrorCode::NotFound, "was written by another version");
    if (!all.starts_with(known))
        return fail(ErrorCode::NotFound, "holds the data as they were before");
    const auto damaged = fail(ErrorCode::Corrupt, "was damaged");
    if (all.size() < kPackedHeaderBytes) return damaged;
    std::istringstream header{
        std::string(all.substr(known.size(), kPackedHeaderBytes - known.size()))};
    Sizes sizes;
    if (!readSizes(header, all.size() - kPackedHeaderBytes, sizes)) return damaged;
    const auto content = std::as_bytes(std::span(file)).subspan(kPackedHeaderBytes);
    if (contentHash(content) != sizes.checksum) return damaged;
    PackedData data;
    std::size_t at = kPackedHeaderBytes;
    for (const std::uint64_t section : sizes.sections) {
        data.sections.push_back(file.part(at, section));
        at += section + paddingBehind(section);
    }
    data.meaning = all.substr(at);
    return data;
}

}  // namespace lockstep::data
