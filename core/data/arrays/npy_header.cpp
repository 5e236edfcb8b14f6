// SPDX-License-Identifier: Apache-2.0
#include "core/data/arrays/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "core/base/try.h"
#include "core/data/source_file.h"

namespace lockstep::data {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 32;  // NumPy's own limit

tl::unexpected<Error> damaged() {
    return fail(ErrorCode::BadInput, "its header is not as NumPy writes it",
                "The file is damaged; save it again.");
}

/// Reads the literal of a Python dictionary that NumPy writes: strings, True, False, a tuple of
/// whole numbers; of records, a list, which is passed over.
class Literal {
public:
    explicit Literal(std::string_view text) : text_(text) {}

    Result<NpyHeader> header() {
        NpyHeader header;
        int found = 0;
        if (!take('{')) return damaged();
        while (!take('}')) {
            const std::string key = TRY(string());
            if (!take(':')) return damaged();
            if (key == "descr")
                header.descr = TRY(descr());
            else if (key == "fortran_order")
                header.isFortran = TRY(flag());
            else if (key == "shape")
                header.shape = TRY(shape());
            else
                return damaged();
            ++found;
            if (!take(',') && !peek('}')) return damaged();
        }
        if (found != 3 || !text_.empty()) return damaged();
        return header;
    }

private:
    void passSpaces() {
        while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t'))
            text_.remove_prefix(1);
    }
    bool peek(char c) {
        passSpaces();
        return text_.starts_with(c);
    }
    bool take(char c) {
        if (!peek(c)) return false;
        text_.remove_prefix(1);
        passSpaces();
        return true;
    }

    Result<std::string> string() {
        passSpaces();
        if (!text_.starts_with('\'') && !text_.starts_with('"')) return damaged();
        const std::size_t end = text_.find(text_[0], 1);
        if (end == std::string_view::npos) return damaged();
        std::string all(text_.substr(1, end - 1));
        text_.remove_prefix(end + 1);
        return all;
    }

    /// A string, or the list that describes a record.
    Result<std::string> descr() {
        if (!peek('[')) return string();
        int depth = 0;
        for (std::size_t i = 0; i < text_.size(); ++i) {
            depth += text_[i] == '[' ? 1 : text_[i] == ']' ? -1 : 0;
            if (depth > 0) continue;
            std::string all(text_.substr(0, i + 1));
            text_.remove_prefix(i + 1);
            return all;
        }
        return damaged();
    }

    Result<bool> flag() {
        passSpaces();
        for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}})
            if (text_.starts_with(word)) {
                text_.remove_prefix(std::string_view(word).size());
                return value;
            }
        return damaged();
    }

    Result<std::vector<std::uint64_t>> shape() {
        std::vector<std::uint64_t> sides;
        if (!take('(')) return damaged();
        while (!take(')')) {
            std::uint64_t side = 0;
            const auto [end, status] =
                std::from_chars(text_.data(), text_.data() + text_.size(), side);
            if (status != std::errc() || sides.size() == kMostDimensions) return damaged();
            text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
            sides.push_back(side);
            if (!take(',') && !peek(')')) return damaged();
        }
        return sides;
    }

    std::string_view text_;
};

}  // namespace

Result<NpyHeader> readNpyHeader(const SharedBytes& file) {
    const std::string_view text = textOf(file);
    if (text.empty()) return fail(ErrorCode::BadInput, "it is empty");
    if (!text.starts_with(kMagic))
        return fail(ErrorCode::BadInput, "it is no .npy file", "Save it with numpy.save.");
    constexpr std::size_t kVersionAt = 6;
    constexpr std::size_t kLengthAt = 8;
    const int version = file.size() > kVersionAt ? file[kVersionAt] : 0;
    if (version < 1 || version > 3)
        return fail(ErrorCode::BadInput,
                    fmt::format("it is of version {} of the format, and 1 to 3 are read", version));
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    const std::size_t before = kLengthAt + lengthBytes;
    std::size_t length = 0;
    for (std::size_t i = 0; i < lengthBytes && kLengthAt + i < file.size(); ++i)
        length |= std::size_t{file[kLengthAt + i]} << (8 * i);
    if (file.size() < before || file.size() - before < length)
        return fail(ErrorCode::BadInput, "it ends within its header",
                    "The file is cut off; save it again.");
    NpyHeader header = TRY(Literal(text.substr(before, length)).header());
    header.bytes = before + length;
    return header;
}

}  // namespace lockstep::data
