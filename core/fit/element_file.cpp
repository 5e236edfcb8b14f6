// SPDX-License-Identifier: Apache-2.0
#include "core/fit/element_file.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/data/arrays/npy_writer.h"

namespace lockstep::fit {

namespace {

// "lockstep-elements 1\n", the hash of the rest (32 digits), "\n", how many elements there are
// (u64, as all lengths), and of each its two tensors: a length and a .npy file. 0: no targets.
constexpr std::string_view kMagic = "lockstep-elements 1\n";
constexpr std::size_t kHead = kMagic.size() + 33;

void appendLength(std::string& text, std::uint64_t length) {
    text.append(reinterpret_cast<const char*>(&length), sizeof length);
}

void appendTensor(std::string& text, const Tensor& tensor) {
    if (tensor.isEmpty()) return appendLength(text, 0);
    const std::string header = data::npyHeader(tensor.array());
    appendLength(text, header.size() + tensor.array().bytes.size());
    text += header;
    text.append(reinterpret_cast<const char*>(tensor.array().bytes.data()),
                tensor.array().bytes.size());
}

/// Takes parts off the beginning of a file's bytes.
class Parts {
public:
    explicit Parts(data::SharedBytes bytes) : bytes_(std::move(bytes)) {}

    std::optional<std::uint64_t> length() {
        std::uint64_t length = 0;
        if (bytes_.size() - at_ < sizeof length) return std::nullopt;
        std::memcpy(&length, bytes_.data() + at_, sizeof length);
        at_ += sizeof length;
        return length;
    }
    std::optional<Tensor> tensor() {
        const auto size = length();
        if (!size || *size > bytes_.size() - at_) return std::nullopt;
        if (*size == 0) return Tensor();
        auto array = data::parseNpy(bytes_.part(at_, *size));
        at_ += *size;
        if (!array) return std::nullopt;
        return Tensor::of(std::move(*array));
    }
    [[nodiscard]] bool areOver() const { return at_ == bytes_.size(); }

private:
    const data::SharedBytes bytes_;
    std::size_t at_ = 0;
};

std::string_view textOf(const data::SharedBytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<std::vector<Element>> parse(const data::SharedBytes& content) {
    Parts parts(content);
    const auto count = parts.length();
    std::vector<Element> elements;
    for (std::uint64_t i = 0; count && i < *count; ++i) {
        auto x = parts.tensor();
        auto y = x ? parts.tensor() : std::nullopt;
        if (!y) return std::nullopt;
        elements.push_back({std::move(*x), std::move(*y)});
    }
    if (!count || !parts.areOver()) return std::nullopt;
    return elements;
}

}  // namespace

Result<void> writeElements(const std::filesystem::path& file,
                           const std::vector<Element>& elements) {
    std::string content;
    appendLength(content, elements.size());
    for (const Element& element : elements) {
        appendTensor(content, element.x);
        appendTensor(content, element.y);
    }
    auto written =
        replaceFileDurably(file, fmt::format("{}{}\n{}", kMagic, contentHash(content), content));
    return written ? written : failWithin("cache()", written.error());
}

Result<std::vector<Element>> readElements(const std::filesystem::path& file) {
    auto bytes = data::mapFile(file);
    if (!bytes) return failWithin("cache()", bytes.error());
    const std::string_view text = textOf(*bytes);
    if (!text.starts_with(kMagic) || text.size() < kHead)
        return fail(ErrorCode::Corrupt,
                    fmt::format("cache(): {} is no file of elements", file.string()),
                    "Remove it, or name another file.");
    const auto content = bytes->part(kHead, bytes->size() - kHead);
    std::optional<std::vector<Element>> elements;
    if (contentHash(textOf(content)) == text.substr(kMagic.size(), 32)) elements = parse(content);
    if (elements) return std::move(*elements);
    return fail(ErrorCode::Corrupt, fmt::format("cache(): {} is damaged", file.string()),
                "Remove it: it is made again.");
}

}  // namespace lockstep::fit
