// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace lockstep::telemetry {

static_assert(std::endian::native == std::endian::little, "the sum below reads words as they lie");

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected
constexpr std::size_t kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

/// tables[k][b]: the sum of byte b followed by k zero bytes ("slicing by 8").
constexpr Tables makeTables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t sum = byte;
        for (int bit = 0; bit < 8; ++bit)
            sum = (sum >> 1) ^ ((sum & 1) != 0 ? kPolynomial : 0);
        tables[0][byte] = sum;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    }
    return tables;
}

constexpr Tables kTables = makeTables();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t sum = ~std::uint32_t{0};
    while (bytes.size() >= kSlices) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        word ^= sum;
        sum = 0;
        for (std::size_t i = 0; i < kSlices; ++i)
            sum ^= kTables[kSlices - 1 - i][(word >> (8 * i)) & 0xff];
        bytes.remove_prefix(kSlices);
    }
    for (const char byte : bytes)
        sum = (sum >> 8) ^ kTables[0][(sum ^ static_cast<unsigned char>(byte)) & 0xff];
    return ~sum;
}

}  // namespace lockstep::telemetry
