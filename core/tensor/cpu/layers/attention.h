// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor/cpu/gemm.h"
#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/dropout.h"
#include "core/tensor/cpu/layers/vector_loops.h"

namespace lockstep::tensor {

struct AttentionShape {
    std::size_t positions = 1;
    std::size_t width = 1;  ///< Of queries, of keys and of values; a multiple of heads.
    std::size_t heads = 1;
    bool isCausal = false;      ///< A position sees itself and those before it.
    std::size_t firstHead = 0;  ///< Where these are some of a network's heads: counts units.
};

/// Where a batch's attention weights are dropped: key.rate 0 drops none. A weight's unit in its
/// sample is (head * positions + query) * positions + key, its head counted among all of the
/// network.
struct AttentionDropout {
    DropoutKey key{};
    std::uint64_t firstPlace = 0;
};

/// softmax(Q Kᵀ / sqrt(width of a head)) V, head by head. Of the weights only the logarithm of each
/// row's sum is kept for the gradient, which computes them anew: a block of queries at a time, so
/// that no more than three blocks of weights are ever in memory. A sample's results do not depend
/// on the others of the batch. One thread at a time may use it.
class Attention {
public:
    explicit Attention(const AttentionShape& shape, VectorIsa isa = bestIsa());

    /// Numbers of logSums for a batch: one for each head and position.
    [[nodiscard]] std::size_t logSumsSize(std::size_t batch) const;

    /// `qkv` [batch, positions, 3 * width]: queries, keys and values side by side, each head by
    /// head; `y` [batch, positions, width].
    void forward(std::size_t batch, std::span<const float> qkv, const AttentionDropout& dropout,
                 std::span<float> logSums, std::span<float> y);
    /// dQkv from dy, and what forward read and kept; the same dropout.
    void gradient(std::size_t batch, std::span<const float> qkv, const AttentionDropout& dropout,
                  std::span<const float> logSums, std::span<const float> dy, std::span<float> dQkv);

private:
    /// The parts of one sample's head.
    struct Head;
    /// Some of its queries, with the keys that they see.
    struct Block;
    [[nodiscard]] Head headOf(std::size_t sample, std::size_t head) const;
    [[nodiscard]] Block blockOf(const Head& head, std::size_t firstQuery) const;
    [[nodiscard]] Part scratch(std::vector<float>& memory, const Block& block) const;
    void forwardBlock(const Block& block, const float* qkv, const AttentionDropout& dropout,
                      float* logSums, float* y);
    void gradientBlock(const Block& block, const float* qkv, const AttentionDropout& dropout,
                       const float* logSums, const float* dy, float* dQkv);
    /// Drops of `from`, which may be `to`; false where nothing is dropped.
    bool drop(const Block& block, const AttentionDropout& dropout, const std::vector<float>& from,
              std::vector<float>& to) const;

    AttentionShape shape_;
    std::size_t headWidth_;
    float scale_;
    VectorIsa isa_;
    std::vector<float> weights_;   ///< [queries of a block, positions]
    std::vector<float> dropped_;   ///< The same after dropout.
    std::vector<float> gradient_;  ///< Of them.
};

}  // namespace lockstep::tensor
