// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/float_values.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/base/check.h"

namespace lockstep::exchange {

namespace {

using checkpoint::DType;

float fromBrain(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16U);
}

float fromHalf(std::uint16_t bits) {
    const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
    const std::uint32_t fraction = bits & 0x3FFU;
    const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16U;
    if (exponent == 0) {  // zero, or below the smallest normal number
        const float value = std::ldexp(static_cast<float>(fraction), -24);
        return sign != 0 ? -value : value;
    }
    const std::uint32_t wide = exponent == 0x1FU ? 0xFFU : exponent + 112U;  // 127 - 15
    return std::bit_cast<float>(sign | (wide << 23U) | (fraction << 13U));
}

template <typename Number, typename Convert>
std::vector<float> converted(std::string_view bytes, const Convert& convert) {
    std::vector<float> values(bytes.size() / sizeof(Number));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Number number;
        std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
        values[i] = convert(number);
    }
    return values;
}

}  // namespace

bool isFloating(DType dtype) {
    return dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16 ||
           dtype == DType::F64;
}

std::vector<float> floatValues(const checkpoint::SafetensorView& tensor) {
    switch (tensor.dtype) {
        case DType::F16:
            return converted<std::uint16_t>(tensor.bytes, fromHalf);
        case DType::BF16:
            return converted<std::uint16_t>(tensor.bytes, fromBrain);
        case DType::F64:
            return converted<double>(tensor.bytes,
                                     [](double number) { return static_cast<float>(number); });
        default:
            LS_CHECK(tensor.dtype == DType::F32, "the numbers are floating-point ones");
            return converted<float>(tensor.bytes, [](float number) { return number; });
    }
}

}  // namespace lockstep::exchange
