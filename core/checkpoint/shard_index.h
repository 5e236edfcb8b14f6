// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/verified_file.h"

namespace lockstep::checkpoint {

/// A part of a tensor: where it begins in the whole one, and its size, a number a dimension.
struct Box {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> shape;

    [[nodiscard]] std::int64_t end(std::size_t axis) const { return offsets[axis] + shape[axis]; }
};

/// The elements of a shape that nobody has checked: more than there can be where that does not fit.
[[nodiscard]] std::int64_t elementsOf(const std::vector<std::int64_t>& shape);

/// How the tensors of one kind ("model") of a checkpoint lie in its shards, however they were cut,
/// and the way to any part of them. Every byte that is read is compared with the manifest. However
/// many files there are, a few are open at a time. One thread.
class ShardIndex {
public:
    /// Of a tensor in its files.
    struct Piece {
        std::string file;
        std::uint64_t begin = 0;  ///< In the file.
        Box box;
    };
    struct Whole {
        DType dtype = DType::F32;
        std::vector<std::int64_t> shape;
        std::vector<Piece> pieces;

        [[nodiscard]] Box box() const { return {std::vector<std::int64_t>(shape.size()), shape}; }
    };

    /// Reads the headers of the files that the manifest lists in that folder of the open `folder`,
    /// which need not stay open; a lease that goes with it lasts as long as the index.
    /// Corrupt names the file that is damaged, or the tensor whose parts do not make up a whole
    /// one.
    [[nodiscard]] static Result<ShardIndex> read(int folder, const Manifest& manifest,
                                                 const std::string& kind);

    [[nodiscard]] const std::map<std::string, Whole>& tensors() const { return tensors_; }
    /// `box` of a tensor that there is, row by row, into `to`, which has room for exactly that: of
    /// the files only the blocks are read in which it lies. Corrupt names the damaged file.
    [[nodiscard]] Result<void> readBox(const std::string& name, const Box& box,
                                       std::span<std::byte> to);
    /// Every byte of the files.
    [[nodiscard]] Result<void> verify();

private:
    ShardIndex() = default;
    [[nodiscard]] Result<void> addFile(const std::string& file, VerifiedFile& opened);
    [[nodiscard]] Result<void> checkWhole() const;
    [[nodiscard]] VerifiedFile& fileToRead(const std::string& file);

    UniqueFd folder_;                           ///< Its own: files are opened again and again.
    std::unique_ptr<const Manifest> manifest_;  ///< Behind a pointer: the files know its records.
    std::map<std::string, Whole> tensors_;
    std::map<std::string, VerifiedFile> files_;
    std::vector<std::string> open_;  ///< Of them, the one that was read last at the end.
};

}  // namespace lockstep::checkpoint
