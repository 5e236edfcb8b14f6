// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep::testing {

DoubleMatrix referenceProduct(const DoubleMatrix& a, const DoubleMatrix& b) {
    DoubleMatrix c(a.rows, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < b.columns; ++j)
            for (std::size_t k = 0; k < a.columns; ++k)
                c.at(i, j) += a.at(i, k) * b.at(k, j);
    return c;
}

DoubleMatrix referenceTranspose(const DoubleMatrix& a) {
    DoubleMatrix transposed(a.columns, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.columns; ++j)
            transposed.at(j, i) = a.at(i, j);
    return transposed;
}

DoubleMatrix referenceSoftmax(const DoubleMatrix& logits) {
    DoubleMatrix softmax = logits;
    for (std::size_t r = 0; r < logits.rows; ++r) {
        double largest = logits.at(r, 0);
        for (std::size_t c = 0; c < logits.columns; ++c)
            largest = std::max(largest, logits.at(r, c));
        double sum = 0;
        for (std::size_t c = 0; c < logits.columns; ++c) {
            softmax.at(r, c) = std::exp(logits.at(r, c) - largest);
            sum += softmax.at(r, c);
        }
        for (std::size_t c = 0; c < logits.columns; ++c)
            softmax.at(r, c) /= sum;
    }
    return softmax;
}

std::vector<double> referenceCrossEntropy(const DoubleMatrix& logits,
                                          std::span<const std::int32_t> labels) {
    const DoubleMatrix softmax = referenceSoftmax(logits);
    std::vector<double> losses;
    for (std::size_t r = 0; r < logits.rows; ++r)
        losses.push_back(-std::log(softmax.at(r, static_cast<std::size_t>(labels[r]))));
    return losses;
}

DoubleMatrix ReferenceNetwork::logits(const DoubleMatrix& x) const {
    DoubleMatrix output = x;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        output = referenceProduct(output, referenceTranspose(weights[i]));
        for (std::size_t r = 0; r < output.rows; ++r)
            for (std::size_t c = 0; c < output.columns; ++c) {
                double& value = output.at(r, c);
                value += biases[i].at(0, c);
                if (i + 1 < weights.size()) value = std::max(value, 0.0);
            }
    }
    return output;
}

double ReferenceNetwork::meanLoss(const DoubleMatrix& x,
                                  std::span<const std::int32_t> labels) const {
    const auto losses = referenceCrossEntropy(logits(x), labels);
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

double ReferenceNetwork::derivative(double& value, const DoubleMatrix& x,
                                    std::span<const std::int32_t> labels) const {
    constexpr double kStep = 1e-6;
    const double original = value;
    value = original + kStep;
    const double above = meanLoss(x, labels);
    value = original - kStep;
    const double below = meanLoss(x, labels);
    value = original;
    return (above - below) / (2 * kStep);
}

}  // namespace lockstep::testing
