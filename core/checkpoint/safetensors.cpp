// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <tuple>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/text/json.h"

namespace lockstep::checkpoint {

namespace {

using text::Json;

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::uint64_t kLargestHeader = 100'000'000;
constexpr std::size_t kMostDimensions = 8;
constexpr std::size_t kLengthBytes = 8;
constexpr const char* kMetadataKey = "__metadata__";

struct DTypeEntry {
    DType dtype;
    std::string_view name;
    std::uint64_t bytes;
};
constexpr std::array kDTypes{
    DTypeEntry{DType::Bool, "BOOL", 1},      DTypeEntry{DType::U8, "U8", 1},
    DTypeEntry{DType::I8, "I8", 1},          DTypeEntry{DType::F8E4M3, "F8_E4M3", 1},
    DTypeEntry{DType::F8E5M2, "F8_E5M2", 1}, DTypeEntry{DType::U16, "U16", 2},
    DTypeEntry{DType::I16, "I16", 2},        DTypeEntry{DType::F16, "F16", 2},
    DTypeEntry{DType::BF16, "BF16", 2},      DTypeEntry{DType::U32, "U32", 4},
    DTypeEntry{DType::I32, "I32", 4},        DTypeEntry{DType::F32, "F32", 4},
    DTypeEntry{DType::U64, "U64", 8},        DTypeEntry{DType::I64, "I64", 8},
    DTypeEntry{DType::F64, "F64", 8},
};

const DTypeEntry& entryOf(DType dtype) {
    return *std::ranges::find(kDTypes, dtype, &DTypeEntry::dtype);
}

std::optional<DType> dtypeNamed(std::string_view name) {
    const auto* const found = std::ranges::find(kDTypes, name, &DTypeEntry::name);
    return found == kDTypes.end() ? std::nullopt : std::optional(found->dtype);
}

/// Bytes of a tensor; nullopt when the product overflows or a dimension is negative.
std::optional<std::uint64_t> byteCount(DType dtype, const std::vector<std::int64_t>& shape) {
    std::uint64_t count = bytesOf(dtype);
    for (const std::int64_t dimension : shape)
        if (dimension < 0 ||
            __builtin_mul_overflow(count, static_cast<std::uint64_t>(dimension), &count))
            return std::nullopt;
    return count;
}

Result<void> checkForWriting(const std::vector<SafetensorView>& tensors) {
    std::set<std::string_view> names;
    for (const SafetensorView& tensor : tensors) {
        if (tensor.name.empty() || tensor.name == kMetadataKey)
            return fail(ErrorCode::BadInput,
                        fmt::format("a tensor cannot be named \"{}\"", tensor.name));
        if (!text::fitsJson(tensor.name))
            return fail(ErrorCode::BadInput,
                        fmt::format("a tensor's name is not UTF-8: {}", sanitizeLine(tensor.name)));
        if (tensor.shape.size() > kMostDimensions)
            return fail(ErrorCode::BadInput,
                        fmt::format("tensor {} has {} dimensions; a file takes up to {}",
                                    tensor.name, tensor.shape.size(), kMostDimensions));
        if (byteCount(tensor.dtype, tensor.shape) != tensor.bytes.size())
            return fail(ErrorCode::BadInput,
                        fmt::format("tensor {} of shape [{}] has {} bytes", tensor.name,
                                    fmt::join(tensor.shape, ", "), tensor.bytes.size()));
        if (!names.insert(tensor.name).second)
            return fail(ErrorCode::BadInput, fmt::format("two tensors are named {}", tensor.name));
    }
    return {};
}

/// The JSON of the header, without padding.
std::string headerOf(const std::vector<SafetensorView>& tensors,
                     const SafetensorMetadata& metadata) {
    std::vector<std::string> entries;
    if (!metadata.empty())
        entries.push_back(fmt::format("\"{}\":{}", kMetadataKey, Json(metadata).text()));
    std::uint64_t begin = 0;
    for (const SafetensorView& tensor : tensors) {
        const std::uint64_t end = begin + tensor.bytes.size();
        entries.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                                      Json(tensor.name).text(), nameOf(tensor.dtype),
                                      fmt::join(tensor.shape, ","), begin, end));
        begin = end;
    }
    return fmt::format("{{{}}}", fmt::join(entries, ","));
}

/// A tensor of the header with its place in the data.
struct Entry {
    SafetensorView view;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

Result<std::vector<std::int64_t>> parseShape(const Json& value) {
    auto shape = value.as<std::vector<std::int64_t>>();
    if (!shape || shape->size() > kMostDimensions ||
        std::ranges::any_of(*shape, [](std::int64_t size) { return size < 0; }))
        return fail(ErrorCode::Corrupt,
                    fmt::format("its shape is not a list of up to {} sizes", kMostDimensions));
    return *std::move(shape);
}

Result<Entry> parseEntry(const std::string& name, const Json& value) {
    const Json* dtypeField = value.find("dtype");
    const Json* shapeField = value.find("shape");
    const Json* offsetsField = value.find("data_offsets");
    if (name.empty() || value.members().size() != 3 || dtypeField == nullptr ||
        shapeField == nullptr || offsetsField == nullptr)
        return fail(ErrorCode::Corrupt, "it is not {dtype, shape, data_offsets}");
    const auto dtype = dtypeNamed(dtypeField->as<std::string>().value_or(""));
    if (!dtype)
        return fail(ErrorCode::Corrupt,
                    fmt::format("its dtype {} is not one of the format", dtypeField->text()));
    auto shape = TRY(parseShape(*shapeField));
    const auto offsets = offsetsField->as<std::vector<std::uint64_t>>();
    if (!offsets || offsets->size() != 2)
        return fail(ErrorCode::Corrupt, "its data_offsets are not two sizes");
    Entry entry{{name, *dtype, std::move(shape), {}}, offsets->front(), offsets->back()};
    const auto bytes = byteCount(*dtype, entry.view.shape);
    if (entry.end < entry.begin || !bytes || *bytes != entry.end - entry.begin)
        return fail(
            ErrorCode::Corrupt,
            fmt::format("its data_offsets [{}, {}] do not fit its shape", entry.begin, entry.end));
    return entry;
}

Result<SafetensorMetadata> parseMetadata(const Json& value) {
    auto metadata = value.as<SafetensorMetadata>();
    if (!metadata) return fail(ErrorCode::Corrupt, "__metadata__ is not an object of strings");
    return *std::move(metadata);
}

/// The tensors in the order of their data, which together they must cover without holes or
/// overlaps.
Result<void> orderByData(std::vector<Entry>& entries, std::uint64_t dataBytes) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.begin, a.end, a.view.name) < std::tie(b.begin, b.end, b.view.name);
    });
    std::uint64_t covered = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != covered)
            return fail(
                ErrorCode::Corrupt,
                fmt::format("tensor {} begins at byte {} of the data; the one before ends at {}",
                            entry.view.name, entry.begin, covered));
        if (entry.end > dataBytes)
            return fail(ErrorCode::Corrupt,
                        fmt::format("tensor {} ends at byte {} of {} bytes of data",
                                    entry.view.name, entry.end, dataBytes));
        covered = entry.end;
    }
    if (covered != dataBytes)
        return fail(ErrorCode::Corrupt,
                    fmt::format("{} bytes follow the last tensor", dataBytes - covered));
    return {};
}

/// A header, with its tensors in the order of their data.
struct Header {
    SafetensorMetadata metadata;
    std::vector<Entry> entries;
};

Result<Header> parseHeader(std::string_view header, std::uint64_t dataBytes) {
    if (!header.starts_with('{'))
        return fail(ErrorCode::Corrupt, "its header is not a JSON object");
    auto parsed = text::parseJson(header, header.size());
    if (!parsed) return failWithin("header", std::move(parsed).error());
    Header result;
    for (const auto& [name, value] : parsed->members()) {
        if (name == kMetadataKey) {
            result.metadata = TRY(parseMetadata(value));
            continue;
        }
        auto entry = parseEntry(name, value);
        if (!entry) return failWithin("tensor " + name, std::move(entry).error());
        result.entries.push_back(*std::move(entry));
    }
    TRY(orderByData(result.entries, dataBytes));
    return result;
}

/// That the reader takes it, with all of its limits: what nobody can load must not be saved.
Result<void> checkReadable(std::string_view header, const std::vector<SafetensorView>& tensors) {
    if (header.size() > kLargestHeader - kLengthBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("names and shapes of {} take {} bytes, too many for a file",
                                counted(tensors.size(), "tensor"), header.size()));
    std::uint64_t dataBytes = 0;
    for (const SafetensorView& tensor : tensors)
        dataBytes += tensor.bytes.size();
    const auto read = parseHeader(header, dataBytes);
    return read ? Result<void>() : fail(ErrorCode::BadInput, read.error().message);
}

/// Of the header, from a file's first bytes.
Result<std::uint64_t> headerLength(std::string_view begin, std::uint64_t fileBytes) {
    std::uint64_t length = 0;
    if (begin.size() < kLengthBytes)
        return fail(ErrorCode::Corrupt,
                    fmt::format("{} bytes are too few for safetensors", fileBytes));
    std::memcpy(&length, begin.data(), kLengthBytes);
    if (length > kLargestHeader || length > fileBytes - kLengthBytes)
        return fail(
            ErrorCode::Corrupt,
            fmt::format("its header would have {} bytes; the file has {}", length, fileBytes));
    return length;
}

}  // namespace

std::string_view nameOf(DType dtype) {
    return entryOf(dtype).name;
}

std::uint64_t bytesOf(DType dtype) {
    return entryOf(dtype).bytes;
}

Result<std::string> encodeSafetensorsHead(std::vector<SafetensorView>& tensors,
                                          const SafetensorMetadata& metadata) {
    TRY(checkForWriting(tensors));
    std::sort(tensors.begin(), tensors.end(), [](const SafetensorView& a, const SafetensorView& b) {
        if (bytesOf(a.dtype) != bytesOf(b.dtype)) return bytesOf(a.dtype) > bytesOf(b.dtype);
        return a.name < b.name;
    });
    std::string header = headerOf(tensors, metadata);
    TRY(checkReadable(header, tensors));
    header.resize((header.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
    std::string head(kLengthBytes, '\0');
    const std::uint64_t length = header.size();
    std::memcpy(head.data(), &length, kLengthBytes);
    return head + header;
}

Result<std::string> encodeSafetensors(std::vector<SafetensorView> tensors,
                                      const SafetensorMetadata& metadata) {
    auto text = TRY(encodeSafetensorsHead(tensors, metadata));
    std::size_t total = text.size();
    for (const SafetensorView& tensor : tensors)
        total += tensor.bytes.size();
    text.reserve(total);
    for (const SafetensorView& tensor : tensors)
        text += tensor.bytes;
    return text;
}

Result<SafetensorsContent> parseSafetensors(std::string_view text) {
    const std::uint64_t length = TRY(headerLength(text.substr(0, kLengthBytes), text.size()));
    const std::string_view data = text.substr(kLengthBytes + length);
    auto header = TRY(parseHeader(text.substr(kLengthBytes, length), data.size()));
    SafetensorsContent content{std::move(header.metadata), {}};
    for (Entry& entry : header.entries) {
        entry.view.bytes = data.substr(entry.begin, entry.end - entry.begin);
        content.tensors.push_back(std::move(entry.view));
    }
    return content;
}

Result<SafetensorsHead> readSafetensorsHead(
    std::uint64_t bytes,
    const std::function<Result<std::string>(std::uint64_t, std::uint64_t)>& read) {
    const auto begin = TRY(read(0, std::min<std::uint64_t>(bytes, kLengthBytes)));
    const std::uint64_t length = TRY(headerLength(begin, bytes));
    const std::uint64_t dataBegin = kLengthBytes + length;
    auto header = TRY(parseHeader(TRY(read(kLengthBytes, length)), bytes - dataBegin));
    SafetensorsHead head{std::move(header.metadata), {}};
    for (Entry& entry : header.entries)
        head.tensors.push_back({std::move(entry.view.name), entry.view.dtype,
                                std::move(entry.view.shape), dataBegin + entry.begin});
    return head;
}

}  // namespace lockstep::checkpoint
