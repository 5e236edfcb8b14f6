// SPDX-License-Identifier: Apache-2.0
#include "core/data/arrays/npy_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/arrays/npy_header.h"

namespace lockstep::data {

namespace {

struct TypeRow {
    std::string_view descr;  ///< In a header, behind the mark of the byte order.
    std::string_view name;
    std::size_t bytes;
};

/// In the order of NpyType.
constexpr std::array<TypeRow, 11> kTypes = {{
    {"b1", "bool", 1},
    {"u1", "uint8", 1},
    {"i1", "int8", 1},
    {"u2", "uint16", 2},
    {"i2", "int16", 2},
    {"u4", "uint32", 4},
    {"i4", "int32", 4},
    {"u8", "uint64", 8},
    {"i8", "int64", 8},
    {"f4", "float32", 4},
    {"f8", "float64", 8},
}};

template <typename T>
double read(const std::uint8_t* from) {
    T value{};
    std::memcpy(&value, from, sizeof value);
    return static_cast<double>(value);
}

Result<NpyType> typeOf(const std::string& descr) {
    const std::string shown = sanitizeLine(descr, 60);
    if (descr.size() < 2)
        return fail(ErrorCode::BadInput, fmt::format("its type is \"{}\", no number", shown));
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
        if (descr.substr(1) != kTypes[i].descr) continue;
        if (descr[0] == '>' && kTypes[i].bytes > 1)
            return fail(ErrorCode::BadInput, fmt::format("its numbers are big-endian ({})", shown),
                        fmt::format("Save it as array.astype('<{}').", kTypes[i].descr));
        return static_cast<NpyType>(i);
    }
    if (descr.find('O') != std::string::npos)
        return fail(ErrorCode::BadInput, "it holds Python objects, not numbers",
                    "Save an array of numbers: rows of different lengths make objects.");
    return fail(ErrorCode::BadInput, fmt::format("its type is \"{}\", which is not read", shown),
                "Save it as float32, or another type of whole or real numbers.");
}

}  // namespace

std::string_view toString(NpyType type) {
    return kTypes[static_cast<std::size_t>(type)].name;
}

std::size_t bytesOf(NpyType type) {
    return kTypes[static_cast<std::size_t>(type)].bytes;
}

std::uint64_t NpyArray::elements() const {
    std::uint64_t count = 1;
    for (const std::uint64_t side : shape)
        count *= side;
    return count;
}

double NpyArray::at(std::uint64_t index) const {
    const std::uint8_t* from = bytes.data() + index * bytesOf(type);
    switch (type) {
        case NpyType::Bool:
            return *from != 0 ? 1 : 0;
        case NpyType::UInt8:
            return *from;
        case NpyType::Int8:
            return read<std::int8_t>(from);
        case NpyType::UInt16:
            return read<std::uint16_t>(from);
        case NpyType::Int16:
            return read<std::int16_t>(from);
        case NpyType::UInt32:
            return read<std::uint32_t>(from);
        case NpyType::Int32:
            return read<std::int32_t>(from);
        case NpyType::UInt64:
            return read<std::uint64_t>(from);
        case NpyType::Int64:
            return read<std::int64_t>(from);
        case NpyType::Float32:
            return read<float>(from);
        case NpyType::Float64:
            break;
    }
    return read<double>(from);
}

Result<NpyArray> parseNpy(const SharedBytes& file) {
    const NpyHeader header = TRY(readNpyHeader(file));
    if (header.isFortran)
        return fail(ErrorCode::BadInput, "its first dimension lies together (fortran_order)",
                    "Save it as numpy.ascontiguousarray(array).");
    NpyArray array{TRY(typeOf(header.descr)), header.shape, {}};
    std::uint64_t bytes = bytesOf(array.type);
    bool isTooLarge = false;
    for (const std::uint64_t side : array.shape)
        isTooLarge = __builtin_mul_overflow(bytes, side, &bytes) || isTooLarge;
    const std::uint64_t there = file.size() - header.bytes;
    if (isTooLarge || bytes != there)
        return fail(ErrorCode::BadInput,
                    fmt::format("its header announces {} of {}{}, and {} bytes follow",
                                shapeText(array.shape), toString(array.type),
                                isTooLarge ? "" : fmt::format(", {} bytes", bytes), there),
                    "The file is cut off or damaged; save it again.");
    array.bytes = file.part(header.bytes, bytes);
    return array;
}

std::string shapeText(const std::vector<std::uint64_t>& shape) {
    if (shape.empty()) return "one number";
    return fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace lockstep::data
