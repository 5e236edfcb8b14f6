// SPDX-License-Identifier: Apache-2.0
#include "core/data/arrays/npy_writer.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/base/file_parts.h"
#include "core/base/try.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kAlignment = 64;  ///< Of the array's bytes in the file, as NumPy has it.

std::string descrOf(NpyType type) {
    constexpr std::string_view kKinds = "buiuiuiuiff";
    const char kind = kKinds[static_cast<std::size_t>(type)];
    return fmt::format("{}{}{}", bytesOf(type) == 1 ? '|' : '<', kind, bytesOf(type));
}

}  // namespace

std::string npyHeader(const NpyArray& array) {
    std::string shape;
    for (const std::uint64_t side : array.shape)
        shape += fmt::format("{}, ", side);
    if (array.shape.size() > 1) shape.resize(shape.size() - 2);
    if (array.shape.size() == 1) shape.pop_back();  // (3,)
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descrOf(array.type), shape);
    const std::size_t before = 10;  // the magic, the version, the length
    const std::size_t whole = (before + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
    text.resize(whole - before - 1, ' ');
    text += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8U);
    return header + text;
}

Result<void> writeNpy(const std::filesystem::path& file, const NpyArray& array) {
    const std::string header = npyHeader(array);
    const std::array<std::string_view, 2> parts{
        header,
        std::string_view{reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()}};
    if (auto written = replaceFileByParts(file, parts); !written)
        return failWithin("writing " + file.string(), written.error());
    return {};
}

}  // namespace lockstep::data
