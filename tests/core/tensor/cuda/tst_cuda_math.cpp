// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the kernels and their division of the work, held against the CPU's operations:
// what can be known about them without a GPU.
#include <QtTest>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/rng.h"
#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cuda/element_math.h"
#include "core/tensor/cuda/product.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::tensor::cuda;

namespace {

std::vector<float> draw(std::size_t count, std::uint64_t seed) {
    CounterRng rng(seed);
    std::vector<float> values(count);
    for (float& value : values)
        value = rng.nextFloat(-2, 2);
    return values;
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Elements that the threads of a grid take, as the kernels walk.
std::vector<int> walkGrid(std::size_t count) {
    std::vector<int> visits(count);
    const unsigned blocks = blocksFor(count);
    for (unsigned block = 0; block < blocks; ++block)
        for (unsigned thread = 0; thread < kThreads; ++thread)
            for (std::size_t i = std::size_t{block} * kThreads + thread; i < count;
                 i += std::size_t{blocks} * kThreads)
                ++visits[i];
    return visits;
}

struct Columns {
    std::vector<double> data;
    std::size_t lead;
    bool transposed;
    [[nodiscard]] double at(std::size_t row, std::size_t column) const {
        return transposed ? data[row * lead + column] : data[column * lead + row];
    }
};

/// What cuBLASLt computes when it is asked for `shape`.
std::vector<double> columnProduct(const ColumnProduct& shape, const Columns& a, const Columns& b) {
    std::vector<double> c(shape.leadC * shape.n);
    for (std::size_t column = 0; column < shape.n; ++column)
        for (std::size_t row = 0; row < shape.m; ++row)
            for (std::size_t i = 0; i < shape.k; ++i)
                c[column * shape.leadC + row] += a.at(row, i) * b.at(i, column);
    return c;
}

std::vector<double> numbers(std::size_t count, double first) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = first + static_cast<double>(i * i % 17);
    return values;
}

}  // namespace

class CudaMathTest : public QObject {
    Q_OBJECT
private slots:
    void everyElementBelongsToOneThread() {
        for (const std::size_t count : {1UL, 31UL, 256UL, 257UL, 70'000UL, 2'000'003UL}) {
            const auto visits = walkGrid(count);
            QVERIFY(std::ranges::all_of(visits, [](int n) { return n == 1; }));
        }
        QCOMPARE(blocksFor(0), 1U);
        QCOMPARE(blocksFor(std::size_t{1} << 40), kMostBlocks);
    }

    void theUpdatesGiveTheCpusBits() {
        constexpr std::size_t kCount = 10'000;
        const auto gradients = draw(kCount, 1);
        const SgdSettings sgd{0.1F, 0.9F};
        const AdamSettings adam{0.0123F, 0.1F, 0.001F, 1e-7F};
        auto pCpu = draw(kCount, 2), mCpu = draw(kCount, 3), vCpu = draw(kCount, 4);
        for (float& value : vCpu)
            value = std::abs(value);
        auto p = pCpu, m = mCpu, v = vCpu;
        const Kernels& cpu = bestKernels();
        cpu.adam(adam, gradients.data(), pCpu.data(), mCpu.data(), vCpu.data(), kCount);
        cpu.sgdMomentum(sgd, gradients.data(), pCpu.data(), mCpu.data(), kCount);
        cpu.sgd(sgd.learningRate, gradients.data(), pCpu.data(), kCount);
        for (std::size_t i = 0; i < kCount; ++i) {
            adamElement(adam, adam.stepSize, gradients[i], p[i], m[i], v[i]);
            momentumElement(sgd, gradients[i], p[i], m[i]);
            sgdElement(sgd, gradients[i], p[i]);
        }
        QVERIFY(sameBits(p, pCpu));
        QVERIFY(sameBits(m, mCpu));
        QVERIFY(sameBits(v, vCpu));
    }

    void pixelsMasksAndReluAreTheCpus() {
        std::vector<std::uint8_t> bytes(256);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::uint8_t>(i);
        std::vector<float> scaled(256);
        bestKernels().scaleBytes(bytes.data(), scaled.data(), bytes.size());
        for (std::size_t i = 0; i < bytes.size(); ++i)
            QCOMPARE(scaledByte(bytes[i]), scaled[i]);
        const auto x = draw(999, 5);
        const auto dx = draw(999, 6);
        for (std::size_t i = 0; i < dx.size(); ++i)
            QCOMPARE(maskedByRelu(dx[i], x[i]), x[i] > 0.0F ? dx[i] : 0.0F);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(std::isnan(relu(nan)));
        QCOMPARE(relu(-1.0F), 0.0F);
    }

    void theLargestLogitIsTheFirstOfEqualsInAnyOrder() {
        const std::vector<float> logits{1, 7, 3, 7, 7, -2};
        for (unsigned rotation = 0; rotation < logits.size(); ++rotation) {
            Largest best{logits[0], 0};
            for (unsigned i = 0; i < logits.size(); ++i) {
                const unsigned at = (i + rotation) % static_cast<unsigned>(logits.size());
                best = larger({logits[at], static_cast<std::int32_t>(at)}, best);
            }
            QCOMPARE(best.index, 1);
        }
    }

    void lanesAndTheirTreeAddEveryRowOnce() {
        for (const std::size_t rows : {0UL, 1UL, 1023UL, 1025UL, 65'536UL}) {
            std::vector<double> values(rows);
            for (std::size_t i = 0; i < rows; ++i)
                values[i] = static_cast<double>(i + 1);
            std::vector<double> lanes(kVoteThreads);
            for (unsigned lane = 0; lane < kVoteThreads; ++lane)
                lanes[lane] = laneSum(values.data(), rows, lane, kVoteThreads);
            for (unsigned width = kVoteThreads; width > 1; width /= 2)
                for (unsigned lane = 0; lane < width / 2; ++lane)
                    lanes[lane] += lanes[foldPartner(lane, width)];
            QCOMPARE(lanes[0], static_cast<double>(rows) * static_cast<double>(rows + 1) / 2);
        }
    }

    void samplesComeInTheOrdersPlaces() {
        const std::vector<std::uint32_t> order{5, 3, 9, 1};
        QCOMPARE(sampleOf(order.data(), 1, 2), 1U);
        QCOMPARE(sampleOf(nullptr, 7, 2), 9U);
    }

    /// Row-major matrices handed to a library that stores columns must come out row-major.
    void productsAreTransposedRightly_data() {
        QTest::addColumn<int>("product");
        QTest::newRow("forward") << int(Product::Forward);
        QTest::newRow("weight gradient") << int(Product::WeightGradient);
        QTest::newRow("input gradient") << int(Product::InputGradient);
    }
    void productsAreTransposedRightly() {
        QFETCH(int, product);
        const std::size_t batch = 3, inputs = 5, units = 4;
        const auto x = numbers(batch * inputs, 1), weight = numbers(units * inputs, -3),
                   dy = numbers(batch * units, 2);
        ProductKey key;
        key.product = static_cast<Product>(product);
        key.batch = batch;
        key.inputs = inputs;
        key.units = units;
        const ColumnProduct shape = columnProductOf(key);
        const bool forward = key.product == Product::Forward;
        const auto& a = key.product == Product::WeightGradient ? x : weight;
        const auto& b = forward ? x : dy;
        const auto c = columnProduct(shape, {a, shape.leadA, shape.transposeA},
                                     {b, shape.leadB, shape.transposeB});
        const auto sum = [&](std::size_t count, auto&& term) {
            double total = 0;
            for (std::size_t i = 0; i < count; ++i)
                total += term(i);
            return total;
        };
        std::vector<double> expected;
        if (forward)
            for (std::size_t r = 0; r < batch; ++r)
                for (std::size_t u = 0; u < units; ++u)
                    expected.push_back(sum(inputs, [&](std::size_t i) {
                        return x[r * inputs + i] * weight[u * inputs + i];
                    }));
        else if (key.product == Product::WeightGradient)
            for (std::size_t u = 0; u < units; ++u)
                for (std::size_t i = 0; i < inputs; ++i)
                    expected.push_back(sum(batch, [&](std::size_t r) {
                        return dy[r * units + u] * x[r * inputs + i];
                    }));
        else
            for (std::size_t r = 0; r < batch; ++r)
                for (std::size_t i = 0; i < inputs; ++i)
                    expected.push_back(sum(units, [&](std::size_t u) {
                        return dy[r * units + u] * weight[u * inputs + i];
                    }));
        QCOMPARE(c, expected);
    }

    void aProductsOperationsAreCounted() {
        ProductKey key;
        key.batch = 32;
        key.inputs = 784;
        key.units = 256;
        QCOMPARE(operationsOf(key), 2.0 * 32 * 784 * 256);
    }
};

QTEST_GUILESS_MAIN(CudaMathTest)
#include "tst_cuda_math.moc"
