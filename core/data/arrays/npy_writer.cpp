// SPDX-License-Identifier: Apache-2.0
#include "core/data/arrays/npy_writer.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <span>

#include "core/base/file.h"
#include "core/base/try.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kAlignment = 64;  ///< Of the array's bytes in the file, as NumPy has it.

std::string descrOf(NpyType type) {
    constexpr std::string_view kKinds = "buiuiuiuiff";
    const char kind = kKinds[static_cast<std::size_t>(type)];
    return fmt::format("{}{}{}", bytesOf(type) == 1 ? '|' : '<', kind, bytesOf(type));
}

Error cannotWrite(const std::filesystem::path& file, Error error) {
    return std::move(error).within("writing " + file.string());
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
    std::filesystem::path partial = file;
    partial += ".partial";
    {
        const UniqueFd fd(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        if (!fd.valid()) return fail(cannotWrite(file, {ErrorCode::Io, errnoText()}));
        if (auto written = writeAll(fd.get(), npyHeader(array)); !written)
            return fail(cannotWrite(file, written.error()));
        if (auto written = writeAll(
                fd.get(), std::as_bytes(std::span(array.bytes.data(), array.bytes.size())));
            !written)
            return fail(cannotWrite(file, written.error()));
    }
    if (std::rename(partial.c_str(), file.c_str()) != 0)
        return fail(cannotWrite(file, {ErrorCode::Io, errnoText()}));
    return {};
}

}  // namespace lockstep::data
