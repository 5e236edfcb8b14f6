// SPDX-License-Identifier: Apache-2.0
// Arrays as NumPy writes them.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::tests {

/// Little-endian.
inline std::string numberText(std::uint64_t value, std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i)
        text += i < sizeof value ? static_cast<char>(value >> (8 * i)) : '\0';
    return text;
}

template <typename T>
std::string bytesOfAll(const std::vector<T>& values) {
    std::string text(values.size() * sizeof(T), '\0');
    if (!values.empty()) std::memcpy(text.data(), values.data(), text.size());
    return text;
}

/// A file of that version with this header, padded as NumPy pads it.
inline std::string npyWithHeader(std::string header, const std::string& bytes, int version = 1) {
    const std::size_t before = version == 1 ? 10 : 12;
    while ((before + header.size() + 1) % 64 != 0)
        header += ' ';
    header += '\n';
    return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
           numberText(header.size(), version == 1 ? 2 : 4) + header + bytes;
}

/// `shape` as Python writes it: "(3, 4)", "(3,)".
inline std::string npyOf(const std::string& descr, const std::string& shape,
                         const std::string& bytes, int version = 1) {
    return npyWithHeader(
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", bytes,
        version);
}

inline std::string deflated(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

/// What numpy.savez (stored, with sizes of 64 bits in front of each array) and savez_compressed
/// write.
inline std::string npzOf(const std::vector<std::pair<std::string, std::string>>& arrays,
                         bool isPacked = false) {
    std::string file;
    std::string directory;
    for (const auto& [name, content] : arrays) {
        const std::string entry = name + ".npy";
        const std::string bytes = isPacked ? deflated(content) : content;
        const std::string method = numberText(isPacked ? 8 : 0, 2);
        const std::string sum = numberText(crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                                                 static_cast<uInt>(content.size())),
                                           4);
        const std::string wide = numberText(1, 2) + numberText(16, 2) +
                                 numberText(content.size(), 8) + numberText(bytes.size(), 8);
        directory += "PK\1\2" + numberText(45, 2) + numberText(45, 2) + numberText(0, 2) + method +
                     numberText(0, 4) + sum + numberText(bytes.size(), 4) +
                     numberText(content.size(), 4) + numberText(entry.size(), 2) +
                     numberText(0, 12) + numberText(file.size(), 4) + entry;
        file += "PK\3\4" + numberText(45, 2) + numberText(0, 2) + method + numberText(0, 4) + sum +
                numberText(0xFFFFFFFF, 4) + numberText(0xFFFFFFFF, 4) +
                numberText(entry.size(), 2) + numberText(wide.size(), 2) + entry + wide + bytes;
    }
    const std::string count = numberText(arrays.size(), 2);
    return file + directory + "PK\5\6" + numberText(0, 4) + count + count +
           numberText(directory.size(), 4) + numberText(file.size(), 4) + numberText(0, 2);
}

}  // namespace lockstep::tests
