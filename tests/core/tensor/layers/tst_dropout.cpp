// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/tensor/cpu/layers/dropout.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

constexpr DropoutKey kKey{.seed = 0x123456789ABCDEF0, .step = 5, .layer = 3, .rate = 0.3F};

Floats ones(const DropoutKey& key, std::uint64_t place, std::size_t units) {
    const Floats x(units, 1.0F);
    Floats y(units, 7.0F);
    dropout(key, place, {x.data(), 1, units}, {y.data(), 1, units});
    return y;
}

double keptShare(const Floats& values) {
    double kept = 0;
    for (const float value : values)
        kept += value != 0.0F ? 1 : 0;
    return kept / static_cast<double>(values.size());
}

}  // namespace

class DropoutTest : public QObject {
    Q_OBJECT

private slots:
    void eachUnitsBitsAreThoseOfPhilox() {
        const Floats y = ones(kKey, 9, 1000);
        const std::uint64_t seed = kKey.seed ^ 0x64726F706F757421ULL;
        const auto threshold =
            static_cast<std::uint32_t>(std::nearbyint(static_cast<double>(kKey.rate) * 0x1p32));
        for (std::uint32_t unit = 0; unit < y.size(); ++unit) {
            const auto words =
                philox({unit / 64 * 16 + unit % 16, 9, 5, 3},
                       {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
            QCOMPARE(y[unit] == 0.0F, words[unit / 16 % 4] < threshold);
            if (y[unit] != 0.0F)
                QCOMPARE(y[unit], static_cast<float>(1.0 / (1.0 - static_cast<double>(kKey.rate))));
        }
    }
    void aSampleKeepsTheSameUnitsInEveryBatch() {
        const std::size_t units = 131;
        const Floats x = randomFloats(10 * units, 1);
        Floats whole(x.size());
        dropout(kKey, 40, {x.data(), 10, units}, {whole.data(), 10, units});
        for (std::size_t first = 0; first < 10; ++first) {
            Floats rest((10 - first) * units);
            dropout(kKey, 40 + first, {x.data() + first * units, 10 - first, units},
                    {rest.data(), 10 - first, units});
            QVERIFY(sameBits(rest, std::span(whole).subspan(first * units)));
        }
    }
    void unitsMayBeTakenInPieces() {
        const Floats x = randomFloats(500, 1);
        Floats whole(500), pieces(500);
        dropout(kKey, 2, {x.data(), 1, 500}, {whole.data(), 1, 500});
        const std::size_t cuts[] = {0, 1, 63, 64, 65, 200, 321, 500};
        for (std::size_t i = 0; i + 1 < std::size(cuts); ++i)
            dropoutUnits(kKey, 2, cuts[i], std::span(x).subspan(cuts[i], cuts[i + 1] - cuts[i]),
                         std::span(pieces).subspan(cuts[i], cuts[i + 1] - cuts[i]));
        QVERIFY(sameBits(whole, pieces));
    }
    void theShareThatIsKeptIsTheRates() {
        for (const float rate : {0.0F, 0.1F, 0.5F, 0.9F}) {
            DropoutKey key = kKey;
            key.rate = rate;
            const std::size_t units = 1000000;
            const auto expected = 1.0 - static_cast<double>(rate);
            // Five deviations of a binomial share.
            const double limit = 5 * std::sqrt(expected * (1 - expected) / 1e6) + 1e-12;
            QVERIFY(std::abs(keptShare(ones(key, 0, units)) - expected) < limit);
        }
    }
    void everyPartOfTheKeyChangesWhatIsKept() {
        const Floats first = ones(kKey, 9, 2000);
        std::vector<Floats> others;
        for (int part = 0; part < 5; ++part) {
            DropoutKey key = kKey;
            if (part == 0) key.seed ^= 1U;
            if (part == 1) key.seed ^= std::uint64_t{1} << 40U;
            if (part == 2) key.step += 1;
            if (part == 3) key.step += std::uint64_t{1} << 33U;
            if (part == 4) key.layer += 1;
            others.push_back(ones(key, 9, 2000));
        }
        others.push_back(ones(kKey, 10, 2000));
        for (const Floats& other : others) {
            // Units that are treated alike: 0.3² + 0.7² of them.
            double alike = 0;
            for (std::size_t i = 0; i < first.size(); ++i)
                alike += first[i] == other[i] ? 1 : 0;
            QVERIFY(std::abs(alike / 2000 - 0.58) < 0.06);
        }
    }
    void neighboursAreIndependent() {
        DropoutKey key = kKey;
        key.rate = 0.5F;
        const Floats y = ones(key, 1, 200000);
        for (const std::size_t distance : {1U, 4U, 16U, 64U, 256U}) {
            double alike = 0;
            for (std::size_t i = 0; i + distance < y.size(); ++i)
                alike += y[i] == y[i + distance] ? 1 : 0;
            QVERIFY(std::abs(alike / static_cast<double>(y.size() - distance) - 0.5) < 0.006);
        }
    }
    void everyInstructionSetGivesTheSameBitsInPlaceToo() {
        const Floats x = randomFloats(5 * 203, 1);
        Floats expected(x.size());
        dropout(kKey, 7, {x.data(), 5, 203}, {expected.data(), 5, 203}, VectorIsa::Baseline);
        for (const VectorIsa isa : supportedIsas()) {
            Floats y = x;
            dropout(kKey, 7, {y.data(), 5, 203}, {y.data(), 5, 203}, isa);
            QVERIFY(sameBits(y, expected));
        }
    }
};

QTEST_GUILESS_MAIN(DropoutTest)
#include "tst_dropout.moc"
