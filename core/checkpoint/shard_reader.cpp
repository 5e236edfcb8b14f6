// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/shard_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <tuple>

#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_files.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/safetensors.h"
#include "core/text/json.h"

namespace lockstep::checkpoint {

namespace {

/// A part of a tensor: where it begins, and its size, a number a dimension.
struct Box {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> shape;

    [[nodiscard]] std::int64_t end(std::size_t axis) const { return offsets[axis] + shape[axis]; }
};

/// No tensor is so large; what a damaged header says may be.
constexpr std::int64_t kLargestOffset = std::int64_t{1} << 40;

/// Of a shape that nobody has checked: more than there can be where it does not fit.
std::int64_t elementsOf(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(count, size, &count))
            return std::numeric_limits<std::int64_t>::max();
    return count;
}

/// Copies a part to its place in the whole tensor, by the runs of the last dimension, which lie
/// side by side in both.
void putBox(const Box& box, std::span<const float> values, const std::vector<std::int64_t>& shape,
            std::span<float> whole) {
    const std::size_t rank = shape.size();
    const std::size_t run = rank == 0 ? 1 : static_cast<std::size_t>(box.shape.back());
    std::vector<std::int64_t> at = box.offsets;
    for (std::size_t from = 0; from < values.size(); from += run) {
        std::int64_t place = 0;
        for (std::size_t axis = 0; axis < rank; ++axis)
            place = place * shape[axis] + at[axis];
        std::ranges::copy(values.subspan(from, run),
                          whole.subspan(static_cast<std::size_t>(place), run).begin());
        for (std::size_t axis = rank; axis-- > 1;) {
            if (++at[axis - 1] < box.end(axis - 1)) break;
            at[axis - 1] = box.offsets[axis - 1];
        }
    }
}

bool meet(const Box& a, const Box& b) {
    for (std::size_t axis = 0; axis < a.shape.size(); ++axis)
        if (a.end(axis) <= b.offsets[axis] || b.end(axis) <= a.offsets[axis]) return false;
    return true;
}

std::span<const float> numbersOf(std::string_view bytes, std::vector<float>& place) {
    place.resize(bytes.size() / sizeof(float));
    if (!bytes.empty()) std::memcpy(place.data(), bytes.data(), bytes.size());
    return place;
}

using Offsets = std::map<std::string, std::vector<std::int64_t>>;

/// What the file's header says of where its tensors begin.
Result<Offsets> offsetsOf(const SafetensorMetadata& metadata) {
    const auto entry = metadata.find(kShardingInfo);
    if (entry == metadata.end())
        return fail(ErrorCode::Corrupt, fmt::format("its header has no {}", kShardingInfo));
    const auto places = TRY(text::parseJson(entry->second, entry->second.size()));
    Offsets offsets;
    for (const auto& [name, place] : places.members()) {
        auto saved = place.get<std::vector<std::int64_t>>(kSavedOffsets);
        if (!saved || std::ranges::any_of(
                          *saved, [](std::int64_t one) { return one < 0 || one > kLargestOffset; }))
            return fail(ErrorCode::Corrupt,
                        fmt::format("{}: no offsets of {}", kShardingInfo, name));
        offsets[name] = *std::move(saved);
    }
    return offsets;
}

/// How the tensors of some files lie in these.
class ShardIndex {
public:
    ShardIndex(int folder, const Manifest& manifest) : folder_(folder), manifest_(manifest) {}

    /// Reads the headers alone.
    [[nodiscard]] Result<void> addFile(const std::string& file, int fd);
    /// That each element of each tensor is in one piece.
    [[nodiscard]] Result<void> checkWhole() const;
    [[nodiscard]] Result<std::vector<Tensor>> readAll() const;

private:
    struct Piece {
        std::string file;
        std::uint64_t begin = 0;  ///< In the file.
        Box box;
    };
    struct Whole {
        std::vector<std::int64_t> shape;
        std::vector<Piece> pieces;
    };

    const int folder_;
    const Manifest& manifest_;
    std::map<std::string, Whole> tensors_;
};

Result<void> ShardIndex::addFile(const std::string& file, int fd) {
    const FileRecord& record = manifest_.files.at(file);
    const auto head =
        TRY(readSafetensorsHead(record.bytes, [&](std::uint64_t offset, std::uint64_t length) {
            return readAt(fd, file, offset, length);
        }));
    const auto offsets = TRY(offsetsOf(head.metadata));
    if (head.tensors.size() != record.tensors.size() || offsets.size() != record.tensors.size())
        return fail(ErrorCode::Corrupt, "it does not hold the tensors that its manifest lists");
    for (const PlacedSafetensor& tensor : head.tensors) {
        const auto place = offsets.find(tensor.name);
        if (place == offsets.end() || !record.tensors.contains(tensor.name) ||
            place->second.size() != tensor.shape.size())
            return fail(ErrorCode::Corrupt, fmt::format("no place is known of {}", tensor.name));
        if (tensor.dtype != DType::F32)
            return fail(ErrorCode::Corrupt, fmt::format("tensor {} is not F32", tensor.name));
        Whole& whole = tensors_[tensor.name];
        whole.pieces.push_back({file, tensor.begin, {place->second, tensor.shape}});
        whole.shape.resize(std::max(whole.shape.size(), tensor.shape.size()));
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
            whole.shape[axis] = std::max(whole.shape[axis], whole.pieces.back().box.end(axis));
    }
    return {};
}

Result<void> ShardIndex::checkWhole() const {
    for (const auto& [name, whole] : tensors_) {
        const auto incomplete = [&name] {
            return fail(ErrorCode::Corrupt,
                        fmt::format("the parts of {} do not make up a whole tensor", name));
        };
        std::int64_t covered = 0;
        for (std::size_t i = 0; i < whole.pieces.size(); ++i) {
            const Box& box = whole.pieces[i].box;
            if (box.shape.size() != whole.shape.size()) return incomplete();
            covered += elementsOf(box.shape);
            for (std::size_t j = 0; j < i; ++j)
                if (meet(box, whole.pieces[j].box)) return incomplete();
        }
        if (covered != elementsOf(whole.shape)) return incomplete();
    }
    return {};
}

Result<std::vector<Tensor>> ShardIndex::readAll() const {
    std::vector<Tensor> tensors;
    std::map<std::string, std::vector<std::pair<std::size_t, const Piece*>>> ofFiles;
    for (const auto& [name, whole] : tensors_) {
        for (const Piece& piece : whole.pieces)
            ofFiles[piece.file].emplace_back(tensors.size(), &piece);
        tensors.push_back({name, whole.shape, {}});
        tensors.back().values.resize(static_cast<std::size_t>(elementsOf(whole.shape)));
    }
    std::vector<float> numbers;
    for (const auto& [file, pieces] : ofFiles) {
        const auto text = TRY(readListed(folder_, file, manifest_));
        for (const auto& [index, piece] : pieces) {
            Tensor& tensor = tensors[index];
            const auto bytes = std::string_view(text).substr(
                piece->begin,
                static_cast<std::size_t>(elementsOf(piece->box.shape)) * sizeof(float));
            if (contentHash(bytes) != manifest_.files.at(file).tensors.at(tensor.name))
                return fail(
                    ErrorCode::Corrupt,
                    fmt::format("{}: tensor {} does not match its checksum", file, tensor.name));
            putBox(piece->box, numbersOf(bytes, numbers), tensor.shape, tensor.values);
        }
    }
    return tensors;
}

}  // namespace

Result<std::vector<Tensor>> readShards(int folder, const Manifest& manifest,
                                       const std::string& kind) {
    ShardIndex index(folder, manifest);
    std::vector<std::string> files;
    for (const auto& [name, record] : manifest.files)
        if (name.starts_with(kind + "/")) files.push_back(name);
    for (const std::string& name : files) {
        const auto fd = TRY(openListed(folder, name, manifest));
        if (auto added = index.addFile(name, fd.get()); !added)
            return failWithin(name, added.error());
    }
    if (auto whole = index.checkWhole(); !whole) {
        for (const std::string& name : files)  // one of them may say where its parts begin wrongly
            std::ignore = TRY(readListed(folder, name, manifest));
        return fail(whole.error());
    }
    return index.readAll();
}

}  // namespace lockstep::checkpoint
