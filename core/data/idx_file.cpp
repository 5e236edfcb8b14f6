// SPDX-License-Identifier: Apache-2.0
#include "core/data/idx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/try.h"
#include "core/data/byte_source.h"

namespace lockstep::data {

namespace {

constexpr std::uint32_t kImagesMagic = 0x00000803;  // 8: unsigned bytes, 3: dimensions
constexpr std::uint32_t kLabelsMagic = 0x00000801;
constexpr std::uint64_t kLargestContent = std::uint64_t{1} << 32;
constexpr std::uint32_t kLargestSide = 1 << 14;

std::uint32_t readBigEndian(const std::uint8_t* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
           std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

void appendBigEndian(std::string& text, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
        text.push_back(static_cast<char>(static_cast<std::uint8_t>(value >> shift)));
}

std::string nameOf(std::uint32_t magic) {
    if (magic == kImagesMagic) return "images (IDX, magic 0x00000803)";
    if (magic == kLabelsMagic) return "labels (IDX, magic 0x00000801)";
    return fmt::format("something else (it begins with 0x{:08x})", magic);
}

/// Product of the dimensions, unless it overflows or is above what is accepted.
std::optional<std::uint64_t> contentSize(std::span<const std::uint32_t> dimensions) {
    std::uint64_t size = 1;
    for (const std::uint32_t dimension : dimensions)
        if (__builtin_mul_overflow(size, std::uint64_t{dimension}, &size)) return std::nullopt;
    if (size > kLargestContent) return std::nullopt;
    return size;
}

/// Magic and dimensions, checked against what was asked for.
Result<void> readHeader(ByteSource& source, std::uint32_t magic,
                        std::span<std::uint32_t> dimensions) {
    std::array<std::uint8_t, 16> header{};
    const std::size_t headerBytes = 4 + 4 * dimensions.size();
    const auto got = TRY(source.read(std::span(header).first(headerBytes)));
    if (got < 4)
        return fail(ErrorCode::BadInput, fmt::format("it has {} bytes, too few for IDX", got));
    const std::uint32_t found = readBigEndian(header.data());
    if (found != magic)
        return fail(ErrorCode::BadInput,
                    fmt::format("it should hold {} but holds {}", nameOf(magic), nameOf(found)));
    if (got < headerBytes) return fail(ErrorCode::BadInput, "it ends within its header");
    for (std::size_t i = 0; i < dimensions.size(); ++i)
        dimensions[i] = readBigEndian(header.data() + 4 + 4 * i);
    return {};
}

/// The bytes of data that the header announces, compared with what can be in the source.
Result<std::uint64_t> checkContentSize(const ByteSource& source,
                                       std::span<const std::uint32_t> dimensions) {
    const auto size = contentSize(dimensions);
    const std::string shape = fmt::format("{}", fmt::join(dimensions, " x "));
    if (!size)
        return fail(ErrorCode::BadInput,
                    fmt::format("its header announces {} bytes, more than is accepted", shape));
    const std::uint64_t total = 4 + 4 * dimensions.size() + *size;
    if (source.sizeIsExact() ? total != source.largestSize() : total > source.largestSize())
        return fail(ErrorCode::BadInput,
                    fmt::format("its header announces {} = {} bytes of data, so the file should "
                                "unpack to {} bytes; it has {}{}",
                                shape, *size, total, source.sizeIsExact() ? "" : "at most ",
                                source.largestSize()),
                    "The file is cut off or damaged; fetch it again.");
    return *size;
}

/// Exactly the content that the header announces; sizes are compared before it is allocated.
Result<std::vector<std::uint8_t>> readContent(ByteSource& source,
                                              std::span<const std::uint32_t> dimensions) {
    const auto size = TRY(checkContentSize(source, dimensions));
    std::vector<std::uint8_t> content(size);
    const auto got = TRY(source.read(content));
    if (got != size)
        return fail(ErrorCode::BadInput,
                    fmt::format("its header announces {} bytes of data; it has {}", size, got),
                    "The file is cut off or damaged; fetch it again.");
    TRY(source.expectEnd());
    return content;
}

Result<void> checkImageDimensions(std::span<const std::uint32_t> dimensions) {
    for (const std::uint32_t side : dimensions.subspan(1))
        if (side == 0 || side > kLargestSide)
            return fail(ErrorCode::BadInput,
                        fmt::format("its images are {} x {}; sides from 1 to {} are accepted",
                                    dimensions[1], dimensions[2], kLargestSide));
    if (dimensions[0] == 0) return fail(ErrorCode::BadInput, "it holds no images");
    return {};
}

Result<IdxImages> viewImages(const SharedBytes& file) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    if (text.starts_with(kGzipMagic))
        return fail(ErrorCode::BadInput,
                    "it is a gzip file, whose samples cannot be read one by one",
                    "Unpack it with gunzip, or set data.cache to \"memory\" or to a local file.");
    auto source = TRY(openByteSource(text));
    std::array<std::uint32_t, 3> dimensions{};
    TRY(readHeader(*source, kImagesMagic, dimensions));
    TRY(checkImageDimensions(dimensions));
    const auto size = TRY(checkContentSize(*source, dimensions));
    return IdxImages{dimensions[0], static_cast<int>(dimensions[2]),
                     static_cast<int>(dimensions[1]), file.part(file.size() - size, size)};
}

Result<std::vector<std::uint8_t>> parseLabels(std::string_view file, int classes) {
    auto source = TRY(openByteSource(file));
    std::array<std::uint32_t, 1> dimensions{};
    TRY(readHeader(*source, kLabelsMagic, dimensions));
    if (dimensions[0] == 0) return fail(ErrorCode::BadInput, "it holds no labels");
    auto labels = readContent(*source, dimensions);
    if (!labels) return fail(labels.error());
    const auto wrong = std::find_if(labels->begin(), labels->end(),
                                    [classes](std::uint8_t label) { return label >= classes; });
    if (wrong != labels->end())
        return fail(ErrorCode::BadInput,
                    fmt::format("label {} of sample {} is out of range; labels are 0 to {}", *wrong,
                                wrong - labels->begin(), classes - 1));
    return labels;
}

std::string idxFileOf(std::uint32_t count, int width, int height,
                      std::span<const std::uint8_t> pixels) {
    std::string text;
    text.reserve(16 + pixels.size());
    appendBigEndian(text, kImagesMagic);
    appendBigEndian(text, count);
    appendBigEndian(text, static_cast<std::uint32_t>(height));
    appendBigEndian(text, static_cast<std::uint32_t>(width));
    text.append(reinterpret_cast<const char*>(pixels.data()), pixels.size());
    return text;
}

}  // namespace

Result<IdxImages> parseIdxImages(std::string_view file) {
    auto source = TRY(openByteSource(file));
    std::array<std::uint32_t, 3> dimensions{};
    TRY(readHeader(*source, kImagesMagic, dimensions));
    TRY(checkImageDimensions(dimensions));
    auto pixels = TRY(readContent(*source, dimensions));
    return IdxImages{dimensions[0], static_cast<int>(dimensions[2]),
                     static_cast<int>(dimensions[1]), std::move(pixels)};
}

std::string idxFileOf(const IdxImages& images) {
    return idxFileOf(images.count, images.width, images.height, images.pixels);
}

Result<IdxImages> readIdxImages(const std::filesystem::path& path) {
    const auto file = TRY(readFile(path, kLargestIdxFile));
    auto images = parseIdxImages(file);
    if (!images) return failWithin(path.string(), images.error());
    return images;
}

Result<IdxImages> mapIdxImages(const std::filesystem::path& path) {
    const auto file = TRY(mapFile(path));
    if (file.size() > kLargestIdxFile)
        return fail(ErrorCode::BadInput, fmt::format("{} has {} bytes; at most {} are accepted",
                                                     path.string(), file.size(), kLargestIdxFile));
    auto images = viewImages(file);
    if (!images) return failWithin(path.string(), images.error());
    return images;
}

Result<std::vector<std::uint8_t>> readIdxLabels(const std::filesystem::path& path, int classes) {
    const auto file = TRY(readFile(path, kLargestIdxFile));
    auto labels = parseLabels(file, classes);
    if (!labels) return failWithin(path.string(), labels.error());
    return labels;
}

Result<void> writeIdxImages(const std::filesystem::path& path, std::uint32_t count, int width,
                            int height, std::span<const std::uint8_t> pixels) {
    LS_CHECK(pixels.size() == std::uint64_t{count} * static_cast<std::uint64_t>(width) *
                                  static_cast<std::uint64_t>(height),
             "pixels are count x height x width");
    return replaceFileDurably(path, idxFileOf(count, width, height, pixels));
}

Result<void> writeIdxLabels(const std::filesystem::path& path,
                            std::span<const std::uint8_t> labels) {
    std::string text;
    appendBigEndian(text, kLabelsMagic);
    appendBigEndian(text, static_cast<std::uint32_t>(labels.size()));
    text.append(reinterpret_cast<const char*>(labels.data()), labels.size());
    return replaceFileDurably(path, text);
}

}  // namespace lockstep::data
