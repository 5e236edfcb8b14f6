// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/event_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "core/telemetry/crc32c.h"
#include "core/telemetry/little_endian.h"

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kHeadBytes = 12;
constexpr std::size_t kSumBytes = 4;
/// Scalars are small; a record of images is not worth its memory.
constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 40;

std::uint32_t maskedSum(std::string_view bytes) {
    return std::rotr(crc32c(bytes), 15) + 0xa282ead8U;
}

/// Reads the fields of a protobuf message in order: a few of TensorFlow's messages are all that is
/// needed, and their .proto files would draw in a dozen others.
class Fields {
public:
    explicit Fields(std::string_view message) : rest_(message) {}

    /// The next field; false at the end, or where the bytes make no sense.
    bool next() {
        std::uint64_t key = 0;
        if (rest_.empty() || !readVarint(key)) return false;
        number = static_cast<std::uint32_t>(key >> 3);
        bytes = {};
        integer = 0;
        switch (key & 7) {
            case 0:
                return readVarint(integer);
            case 1:
                return readFixed<std::uint64_t>();
            case 2: {
                std::uint64_t size = 0;
                if (!readVarint(size) || size > rest_.size()) return false;
                bytes = rest_.substr(0, size);
                rest_.remove_prefix(size);
                return true;
            }
            case 5:
                return readFixed<std::uint32_t>();
            default:
                return false;
        }
    }

    std::uint32_t number = 0;
    std::uint64_t integer = 0;  ///< Of a number, its bits.
    std::string_view bytes;     ///< Of a message, text or packed array.

    [[nodiscard]] double asDouble() const { return std::bit_cast<double>(integer); }
    [[nodiscard]] double asFloat() const {
        return double{std::bit_cast<float>(static_cast<std::uint32_t>(integer))};
    }

private:
    bool readVarint(std::uint64_t& value) {
        value = 0;
        for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if ((byte & 0x80) == 0) return true;
        }
        return false;
    }
    template <typename Integer>
    bool readFixed() {
        if (rest_.size() < sizeof(Integer)) return false;
        integer = readLittleEndian<Integer>(rest_);
        rest_.remove_prefix(sizeof(Integer));
        return true;
    }

    std::string_view rest_;
};

double fromHalf(std::uint32_t bits) {
    const auto exponent = static_cast<int>((bits >> 10) & 0x1f);
    const double mantissa = bits & 0x3ff;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 0x1f) return mantissa != 0 ? std::nan("") : sign * INFINITY;
    return sign *
           (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

double fromBfloat16(std::uint32_t bits) {
    return double{std::bit_cast<float>((bits & 0xffff) << 16)};
}

/// TensorFlow's numbers of the types that a scalar may have.
enum Type : std::uint64_t { Float = 1, Double = 2, Int32 = 3, Int64 = 9, Bfloat16 = 14, Half = 19 };

/// A number of a tensor's own bytes, or of a packed array of them, which has exactly one.
std::optional<double> oneNumber(std::uint64_t type, std::string_view bytes) {
    const auto bits = [&](std::size_t size) -> std::optional<std::uint64_t> {
        if (bytes.size() != size) return std::nullopt;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i)
            value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        return value;
    };
    const std::size_t size = type == Double || type == Int64    ? 8
                             : type == Half || type == Bfloat16 ? 2
                                                                : 4;
    const auto value = bits(size);
    if (!value) return std::nullopt;
    const auto low = static_cast<std::uint32_t>(*value);
    switch (type) {
        case Float:
            return double{std::bit_cast<float>(low)};
        case Double:
            return std::bit_cast<double>(*value);
        case Int32:
            return static_cast<double>(static_cast<std::int32_t>(low));
        case Int64:
            return static_cast<double>(static_cast<std::int64_t>(*value));
        case Bfloat16:
            return fromBfloat16(low);
        case Half:
            return fromHalf(low);
        default:
            return std::nullopt;
    }
}

/// The first varint of a packed array, or the field itself where it is not packed.
double integerOf(const Fields& field) {
    std::uint64_t value = field.integer;
    if (!field.bytes.empty()) {
        // A packed array of one varint reads like the value of a field.
        const std::string message = std::string(1, '\x08') + std::string(field.bytes);
        Fields packed(message);
        value = packed.next() ? packed.integer : 0;
    }
    return static_cast<double>(static_cast<std::int64_t>(value));
}

bool hasOneElement(std::string_view shape) {
    for (Fields field(shape); field.next();) {
        if (field.number != 2) continue;  // dim
        for (Fields dimension(field.bytes); dimension.next();)
            if (dimension.number == 1 && dimension.integer != 1) return false;
    }
    return true;
}

std::optional<double> scalarOf(std::string_view tensor) {
    std::uint64_t type = 0;
    std::optional<double> value;
    for (Fields field(tensor); field.next();) {
        switch (field.number) {
            case 1:
                type = field.integer;
                break;
            case 2:
                if (!hasOneElement(field.bytes)) return std::nullopt;
                break;
            case 4:
                value = oneNumber(type, field.bytes);
                break;
            case 5:
                value = field.bytes.empty() ? field.asFloat() : oneNumber(Float, field.bytes);
                break;
            case 6:
                value = field.bytes.empty() ? field.asDouble() : oneNumber(Double, field.bytes);
                break;
            case 7:
            case 10:
                value = integerOf(field);
                break;
            case 13:
                value = type == Half ? fromHalf(static_cast<std::uint32_t>(integerOf(field)))
                                     : fromBfloat16(static_cast<std::uint32_t>(integerOf(field)));
                break;
            default:
                break;
        }
    }
    constexpr std::array<std::uint64_t, 6> kNumbers{Float, Double, Int32, Int64, Bfloat16, Half};
    return std::ranges::find(kNumbers, type) != kNumbers.end() ? value : std::nullopt;
}

void readValue(std::string_view bytes, const EventScalar& event,
               const EventReader::OnScalar& onScalar) {
    EventScalar scalar = event;
    std::optional<double> value;
    for (Fields field(bytes); field.next();) {
        if (field.number == 1) scalar.tag = field.bytes;
        if (field.number == 2) value = field.asFloat();
        if (field.number == 8) value = scalarOf(field.bytes);
    }
    if (!value || scalar.tag.empty()) return;
    scalar.value = *value;
    onScalar(scalar);
}

void readEvent(std::string_view bytes, const EventReader::OnScalar& onScalar) {
    EventScalar event;
    std::string_view summary;
    for (Fields field(bytes); field.next();) {
        if (field.number == 1) event.wallTime = field.asDouble();
        if (field.number == 2) event.step = static_cast<std::int64_t>(field.integer);
        if (field.number == 5) summary = field.bytes;
    }
    for (Fields field(summary); field.next();)
        if (field.number == 1) readValue(field.bytes, event, onScalar);
}

}  // namespace

Result<void> EventReader::feed(std::string_view bytes, const OnScalar& onScalar) {
    for (;;) {
        const auto skipped = std::min<std::uint64_t>(skip_, bytes.size());
        bytes.remove_prefix(skipped);
        skip_ -= skipped;
        if (skip_ == 0) intact_ += std::exchange(skipped_, 0);
        if (bytes.empty() && waiting_.size() < kHeadBytes) return {};
        // Its head first: that tells how much belongs to it.
        const auto take = [&](std::size_t size) {
            if (waiting_.size() < size) {
                const std::size_t count = std::min(size - waiting_.size(), bytes.size());
                waiting_ += bytes.substr(0, count);
                bytes.remove_prefix(count);
            }
            return waiting_.size() >= size;
        };
        if (!take(kHeadBytes)) return {};
        const std::string_view head(waiting_);
        const auto length = readLittleEndian<std::uint64_t>(head);
        if (readLittleEndian<std::uint32_t>(head.substr(8)) != maskedSum(head.substr(0, 8)) ||
            length > kMaxLength)
            return fail(ErrorCode::Corrupt, "a record's length does not fit its checksum");
        if (length > kMaxRecordBytes) {
            skip_ = length + kSumBytes;
            skipped_ = kHeadBytes + skip_;
            waiting_.clear();
            continue;
        }
        if (!take(kHeadBytes + length + kSumBytes)) return {};
        const std::string_view event = std::string_view(waiting_).substr(kHeadBytes, length);
        const std::string_view sum = std::string_view(waiting_).substr(kHeadBytes + length);
        if (readLittleEndian<std::uint32_t>(sum) != maskedSum(event))
            return fail(ErrorCode::Corrupt, "a record does not fit its checksum");
        readEvent(event, onScalar);
        intact_ += waiting_.size();
        waiting_.clear();
    }
}

}  // namespace lockstep::telemetry
