// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/rng.h"
#include "core/tensor/cpu/kernels.h"

using namespace lockstep;
using namespace lockstep::tensor;

namespace {

using Floats = std::vector<float>;

Floats randomFloats(std::size_t count, std::uint64_t stream, float low = -1, float high = 1) {
    CounterRng rng(17, stream);
    Floats values(count);
    for (float& value : values)
        value = rng.nextFloat(low, high);
    return values;
}

bool sameBits(const Floats& a, const Floats& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The state of an optimiser and its neighbourhood of large, small and vanishing numbers.
struct State {
    Floats g, p, m, v;

    explicit State(std::size_t count)
        : g(randomFloats(count, 1)),
          p(randomFloats(count, 2)),
          m(randomFloats(count, 3, -0.1F, 0.1F)),
          v(randomFloats(count, 4, 0.0F, 0.01F)) {
        for (std::size_t i = 0; i < count; ++i) {
            if (i % 7 == 0) g[i] *= 1e-20F;
            if (i % 11 == 0) g[i] *= 1e15F;
            if (i % 13 == 0) v[i] *= 1e-30F;
            if (i % 17 == 0) g[i] = m[i] = v[i] = 0;
        }
    }
    [[nodiscard]] bool sameAs(const State& other) const {
        return sameBits(p, other.p) && sameBits(m, other.m) && sameBits(v, other.v);
    }
    void adam(const Kernels& kernels, std::size_t begin, std::size_t end) {
        const AdamSettings settings{
            .stepSize = 3e-3F, .oneMinusBeta1 = 0.1F, .oneMinusBeta2 = 1e-3F, .epsilon = 1e-7F};
        kernels.adam(settings, g.data() + begin, p.data() + begin, m.data() + begin,
                     v.data() + begin, end - begin);
    }
    void sgd(const Kernels& kernels, std::size_t begin, std::size_t end) {
        kernels.sgd(0.03F, g.data() + begin, p.data() + begin, end - begin);
    }
    void momentum(const Kernels& kernels, std::size_t begin, std::size_t end) {
        kernels.sgdMomentum({.learningRate = 0.03F, .momentum = 0.9F}, g.data() + begin,
                            p.data() + begin, v.data() + begin, end - begin);
    }
};

using Update = void (State::*)(const Kernels&, std::size_t, std::size_t);
constexpr Update kUpdates[] = {&State::adam, &State::sgd, &State::momentum};

}  // namespace

/// Lengths are odd on purpose: they leave a rest behind the vectors of every width.
class KernelsTest : public QObject {
    Q_OBJECT
    const Kernels& baseline_ = kernelsFor(VectorIsa::Baseline);

private slots:
    void initTestCase() {
        QString names;
        for (const VectorIsa isa : supportedIsas())
            names += QString::number(static_cast<int>(isa)) + ' ';
        qInfo() << "instruction sets compared:" << names;
        QCOMPARE(&bestKernels(), &kernelsFor(supportedIsas().back()));
    }

    void updatesGiveTheSameBitsWithEveryInstructionSet() {
        for (const Update update : kUpdates)
            for (const VectorIsa isa : supportedIsas()) {
                State expected(10007);
                State state(10007);
                for (int step = 0; step < 20; ++step) {
                    (expected.*update)(baseline_, 0, 10007);
                    (state.*update)(kernelsFor(isa), 0, 10007);
                }
                QVERIFY(!sameBits(state.p, State(10007).p));
                QVERIFY(state.sameAs(expected));
            }
    }
    void updatesGiveTheSameBitsHoweverTheRangeIsCut() {
        const std::size_t cuts[] = {0, 1, 2, 17, 64, 1000, 1015, 5003, 10006, 10007};
        for (const Update update : kUpdates)
            for (const VectorIsa isa : supportedIsas()) {
                State whole(10007);
                State parts(10007);
                (whole.*update)(kernelsFor(isa), 0, 10007);
                for (std::size_t i = 0; i + 1 < std::size(cuts); ++i)
                    (parts.*update)(kernelsFor(isa), cuts[i], cuts[i + 1]);
                QVERIFY(parts.sameAs(whole));
            }
    }
    void adamIsKerasFormulaRoundedAfterEveryOperation() {
        // volatile: whatever the compiler may do to the loops, it may not do here.
        State state(4099);
        const State before = state;
        state.adam(bestKernels(), 0, 4099);
        for (std::size_t i = 0; i < 4099; ++i) {
            volatile float first = before.g[i] - before.m[i];
            first = first * 0.1F;
            first = before.m[i] + first;
            volatile float second = before.g[i] * before.g[i];
            second = second - before.v[i];
            second = second * 1e-3F;
            second = before.v[i] + second;
            volatile float divisor = std::sqrt(second);
            divisor = divisor + 1e-7F;
            volatile float change = 3e-3F * first;
            change = change / divisor;
            QCOMPARE(state.m[i], static_cast<float>(first));
            QCOMPARE(state.v[i], static_cast<float>(second));
            QVERIFY(state.p[i] == before.p[i] - change);
        }
    }
    void columnSumsGiveTheSameBitsWithEveryInstructionSet() {
        for (const std::size_t rows : {0U, 1U, 63U, 64U, 65U, 1000U})
            for (const std::size_t columns : {1U, 10U, 64U, 131U}) {
                const Floats values = randomFloats(rows * columns, 5);
                Floats expected(columns, 7.0F);
                baseline_.columnSums(values.data(), rows, columns, expected.data());
                for (std::size_t c = 0; c < columns; ++c) {
                    double sum = 0;
                    for (std::size_t r = 0; r < rows; ++r)
                        sum += static_cast<double>(values[r * columns + c]);
                    QVERIFY(std::abs(static_cast<double>(expected[c]) - sum) < 2e-5);
                }
                for (const VectorIsa isa : supportedIsas()) {
                    Floats sums(columns, 7.0F);
                    kernelsFor(isa).columnSums(values.data(), rows, columns, sums.data());
                    QVERIFY(sameBits(sums, expected));
                }
            }
    }
    void aColumnsSumDoesNotDependOnTheColumnsBesideIt() {
        const std::size_t rows = 777;
        const Floats values = randomFloats(rows * 131, 6);
        Floats sums(131);
        bestKernels().columnSums(values.data(), rows, 131, sums.data());
        for (const std::size_t column : {0U, 63U, 64U, 130U}) {
            Floats alone(rows);
            for (std::size_t r = 0; r < rows; ++r)
                alone[r] = values[r * 131 + column];
            float sum = 0;
            bestKernels().columnSums(alone.data(), rows, 1, &sum);
            QVERIFY(sameBits({sum}, {sums[column]}));
        }
    }
    void activationsGiveTheSameBitsWithEveryInstructionSet() {
        const std::size_t rows = 9;
        const std::size_t columns = 131;
        const float nan = std::numeric_limits<float>::quiet_NaN();
        Floats input = randomFloats(rows * columns, 7);
        input[3] = nan;
        const Floats bias = randomFloats(columns, 8);
        for (const VectorIsa isa : supportedIsas()) {
            const Kernels& kernels = kernelsFor(isa);
            Floats linear = input;
            Floats relu = input;
            kernels.addBias(linear.data(), bias.data(), rows, columns);
            kernels.addBiasRelu(relu.data(), bias.data(), rows, columns);
            QVERIFY(std::isnan(linear[3]) && std::isnan(relu[3]));
            for (std::size_t i = 0; i < input.size(); ++i) {
                if (i == 3) continue;
                const float sum = input[i] + bias[i % columns];
                QCOMPARE(linear[i], sum);
                QCOMPARE(relu[i], sum > 0 ? sum : 0.0F);
            }
        }
    }
    void bytesBecomeFractionsOf255() {
        std::vector<std::uint8_t> bytes(256);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::uint8_t>(i);
        for (const VectorIsa isa : supportedIsas()) {
            Floats values(256);
            kernelsFor(isa).scaleBytes(bytes.data(), values.data(), 251);
            for (std::size_t i = 0; i < 251; ++i)
                QVERIFY(values[i] == static_cast<float>(i) / 255.0F);
            QCOMPARE(values[251], 0.0F);
        }
    }
    void notFiniteNumbersAreFoundWhereverTheyAre() {
        constexpr float kBad[] = {std::numeric_limits<float>::quiet_NaN(),
                                  std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity()};
        for (const VectorIsa isa : supportedIsas()) {
            Floats values = randomFloats(131, 10);
            values[5] = std::numeric_limits<float>::max();
            values[6] = std::numeric_limits<float>::denorm_min();
            QVERIFY(kernelsFor(isa).allFinite(values.data(), values.size()));
            QVERIFY(kernelsFor(isa).allFinite(values.data(), 0));
            for (std::size_t i = 0; i < values.size(); ++i)
                for (const float bad : kBad) {
                    const float good = std::exchange(values[i], bad);
                    QVERIFY(!kernelsFor(isa).allFinite(values.data(), values.size()));
                    values[i] = good;
                }
        }
    }
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "tst_kernels.moc"
