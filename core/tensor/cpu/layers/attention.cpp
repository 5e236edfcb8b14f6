// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/attention.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/tensor/cpu/layers/dropout_loops.h"
#include "core/tensor/cpu/layers/row_sums.h"

namespace lockstep::tensor {
namespace {

/// Queries of a block: its weights stay in a near cache, and a causal block sees few keys that its
/// rows do not.
constexpr std::size_t kBlock = 64;

/// Rows of weights; row r sees the first `seen + r` keys (or all `keys`, if fewer).
struct Rows {
    std::size_t rows;
    std::size_t keys;
    std::size_t seen;
    std::size_t stride;
};

LS_LOOP std::size_t seenBy(const Rows& rows, std::size_t row) {
    return rows.seen + row < rows.keys ? rows.seen + row : rows.keys;
}

/// Scores become weights; their sums' logarithms need the sum and the largest.
LS_LOOP void softmaxLoop(Rows rows, float* weights, float* largest, float* sums) {
    for (std::size_t r = 0; r < rows.rows; ++r, weights += rows.stride) {
        const std::size_t seen = seenBy(rows, r);
        largest[r] = row_sums::largest(weights, seen);
        sums[r] = row_sums::exponentials(weights, 1.0F, largest[r], weights, seen);
        row_sums::scaleRow(weights, 1.0F / sums[r], weights, seen);
        for (std::size_t k = seen; k < rows.keys; ++k)
            weights[k] = 0;
    }
}

/// The same with what forward kept.
LS_LOOP void weightsLoop(Rows rows, float* weights, const float* logSums) {
    for (std::size_t r = 0; r < rows.rows; ++r, weights += rows.stride) {
        const std::size_t seen = seenBy(rows, r);
        const float shift = logSums[r];
        LS_ELEMENTWISE
        for (std::size_t k = 0; k < seen; ++k)
            weights[k] = elementary::exponential(weights[k] - shift);
        for (std::size_t k = seen; k < rows.keys; ++k)
            weights[k] = 0;
    }
}

/// gradient = weights * (gradient - sum of weights * gradient).
LS_LOOP void scoreGradientLoop(Rows rows, const float* weights, float* gradient) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
        const float sum = row_sums::dot(weights, gradient, rows.keys);
        LS_ELEMENTWISE
        for (std::size_t k = 0; k < rows.keys; ++k)
            gradient[k] = weights[k] * (gradient[k] - sum);
        weights += rows.stride;
        gradient += rows.stride;
    }
}

/// Row r begins at unit `firstUnit + r * stride`.
LS_LOOP void dropLoop(dropout_loops::Draw draw, Rows rows, std::uint64_t firstUnit,
                      const float* from, float* to) {
    for (std::size_t r = 0; r < rows.rows; ++r)
        dropout_loops::applyUnits(draw, firstUnit + r * rows.stride, from + r * rows.stride,
                                  to + r * rows.stride, rows.keys);
}

}  // namespace

struct Attention::Head {
    std::size_t sample;
    std::size_t head;
    std::size_t query;   ///< First element of its queries in qkv; keys and values lie behind.
    std::size_t result;  ///< In y.
    std::size_t logSum;  ///< In logSums.
};

struct Attention::Block {
    Head head;
    std::size_t firstQuery;
    std::size_t queries;
    std::size_t keys;
    bool isLast;
    Rows rows;
    std::size_t stride;  ///< Of the rows of qkv.
    std::size_t width;   ///< Of a head.

    // Parts of qkv, or of its gradient.
    template <typename T>
    [[nodiscard]] BasicPart<T> queriesOf(T* qkv) const {
        return {qkv + head.query + firstQuery * stride, queries, width, stride};
    }
    template <typename T>
    [[nodiscard]] BasicPart<T> keysOf(T* qkv) const {
        return {qkv + head.query + stride / 3, keys, width, stride};
    }
    template <typename T>
    [[nodiscard]] BasicPart<T> valuesOf(T* qkv) const {
        return {qkv + head.query + stride / 3 * 2, keys, width, stride};
    }
    template <typename T>
    [[nodiscard]] BasicPart<T> resultsOf(T* y) const {
        return {y + head.result + firstQuery * (stride / 3), queries, width, stride / 3};
    }
};

Attention::Attention(const AttentionShape& shape, VectorIsa isa)
    : shape_(shape),
      headWidth_(shape.width / shape.heads),
      scale_(static_cast<float>(1.0 / std::sqrt(static_cast<double>(headWidth_)))),
      isa_(isa) {
    LS_CHECK(shape.width % shape.heads == 0, "heads have to divide the width of an attention");
    const std::size_t size = std::min(kBlock, shape.positions) * shape.positions;
    weights_.resize(size);
    dropped_.resize(size);
    gradient_.resize(size);
}

std::size_t Attention::logSumsSize(std::size_t batch) const {
    return batch * shape_.heads * shape_.positions;
}

Attention::Head Attention::headOf(std::size_t sample, std::size_t head) const {
    const std::size_t first = sample * shape_.positions * shape_.width;
    return {.sample = sample,
            .head = head,
            .query = 3 * first + head * headWidth_,
            .result = first + head * headWidth_,
            .logSum = (sample * shape_.heads + head) * shape_.positions};
}

Attention::Block Attention::blockOf(const Head& head, std::size_t firstQuery) const {
    const std::size_t queries = std::min(kBlock, shape_.positions - firstQuery);
    const std::size_t keys = shape_.isCausal ? firstQuery + queries : shape_.positions;
    return {.head = head,
            .firstQuery = firstQuery,
            .queries = queries,
            .keys = keys,
            .isLast = firstQuery + queries == shape_.positions,
            .rows = {.rows = queries,
                     .keys = keys,
                     .seen = shape_.isCausal ? firstQuery + 1 : keys,
                     .stride = shape_.positions},
            .stride = 3 * shape_.width,
            .width = headWidth_};
}

Part Attention::scratch(std::vector<float>& memory, const Block& block) const {
    return {memory.data(), block.queries, block.keys, shape_.positions};
}

bool Attention::drop(const Block& block, const AttentionDropout& dropout,
                     const std::vector<float>& from, std::vector<float>& to) const {
    if (dropout.key.rate == 0.0F) return false;
    const auto draw = dropout_loops::drawOf(dropout.key, dropout.firstPlace + block.head.sample);
    const std::uint64_t head = shape_.firstHead + block.head.head;
    const std::uint64_t firstUnit = (head * shape_.positions + block.firstQuery) * shape_.positions;
    runLoop<dropLoop>(isa_, draw, block.rows, firstUnit, from.data(), to.data());
    return true;
}

void Attention::forwardBlock(const Block& block, const float* qkv, const AttentionDropout& dropout,
                             float* logSums, float* y) {
    const Part weights = scratch(weights_, block);
    multiplyParts(block.queriesOf(qkv), block.keysOf(qkv), {.transposeB = true, .factor = scale_},
                  weights);
    float largest[kBlock];
    float sums[kBlock];
    runLoop<softmaxLoop>(isa_, block.rows, weights.data, &largest[0], &sums[0]);
    for (std::size_t r = 0; r < block.queries; ++r)
        logSums[block.head.logSum + block.firstQuery + r] = largest[r] + std::log(sums[r]);
    drop(block, dropout, weights_, weights_);
    multiplyParts(weights, block.valuesOf(qkv), {}, block.resultsOf(y));
}

void Attention::gradientBlock(const Block& block, const float* qkv, const AttentionDropout& dropout,
                              const float* logSums, const float* dy, float* dQkv) {
    const Part weights = scratch(weights_, block);
    const Part gradient = scratch(gradient_, block);
    // The last block comes first: it sees every key, and needs no zeros to add to.
    const bool adds = !block.isLast;
    multiplyParts(block.queriesOf(qkv), block.keysOf(qkv), {.transposeB = true, .factor = scale_},
                  weights);
    runLoop<weightsLoop>(isa_, block.rows, weights.data,
                         logSums + block.head.logSum + block.firstQuery);
    const bool isDropped = drop(block, dropout, weights_, dropped_);
    const Part used = isDropped ? scratch(dropped_, block) : weights;
    multiplyParts(used, block.resultsOf(dy), {.transposeA = true, .adds = adds},
                  block.valuesOf(dQkv));
    multiplyParts(block.resultsOf(dy), block.valuesOf(qkv), {.transposeB = true}, gradient);
    drop(block, dropout, gradient_, gradient_);
    runLoop<scoreGradientLoop>(isa_, block.rows, static_cast<const float*>(weights.data),
                               gradient.data);
    multiplyParts(gradient, block.keysOf(qkv), {.factor = scale_}, block.queriesOf(dQkv));
    multiplyParts(gradient, block.queriesOf(qkv),
                  {.transposeA = true, .adds = adds, .factor = scale_}, block.keysOf(dQkv));
}

void Attention::forward(std::size_t batch, std::span<const float> qkv,
                        const AttentionDropout& dropout, std::span<float> logSums,
                        std::span<float> y) {
    LS_CHECK(qkv.size() == 3 * y.size() && y.size() == batch * shape_.positions * shape_.width &&
                 logSums.size() == logSumsSize(batch),
             "an attention's operands must be as large as its shape says");
    for (std::size_t sample = 0; sample < batch; ++sample)
        for (std::size_t head = 0; head < shape_.heads; ++head)
            for (std::size_t first = 0; first < shape_.positions; first += kBlock)
                forwardBlock(blockOf(headOf(sample, head), first), qkv.data(), dropout,
                             logSums.data(), y.data());
}

void Attention::gradient(std::size_t batch, std::span<const float> qkv,
                         const AttentionDropout& dropout, std::span<const float> logSums,
                         std::span<const float> dy, std::span<float> dQkv) {
    LS_CHECK(qkv.size() == 3 * dy.size() && dQkv.size() == qkv.size() &&
                 dy.size() == batch * shape_.positions * shape_.width &&
                 logSums.size() == logSumsSize(batch),
             "an attention's operands must be as large as its shape says");
    const std::size_t blocks = (shape_.positions + kBlock - 1) / kBlock;
    for (std::size_t sample = 0; sample < batch; ++sample)
        for (std::size_t head = 0; head < shape_.heads; ++head)
            for (std::size_t block = blocks; block-- > 0;)
                gradientBlock(blockOf(headOf(sample, head), block * kBlock), qkv.data(), dropout,
                              logSums.data(), dy.data(), dQkv.data());
}

}  // namespace lockstep::tensor
