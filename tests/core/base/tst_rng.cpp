// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <numeric>

#include "core/base/rng.h"

using namespace lockstep;

class RngTest : public QObject {
    Q_OBJECT
private slots:
    void philoxMatchesThePublishedVectors() {
        // kat_vectors of Random123, philox4x32 with 10 rounds.
        using Block = std::array<std::uint32_t, 4>;
        QCOMPARE(philox({0, 0, 0, 0}, {0, 0}),
                 (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
        QCOMPARE(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
                 (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
        QCOMPARE(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
                 (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    }
    void permutationHoldsEveryIndexOnceAndDependsOnItsStream() {
        const auto first = permutation(1000, 7, 0);
        auto sorted = first;
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::uint32_t> expected(1000);
        std::iota(expected.begin(), expected.end(), 0U);
        QCOMPARE(sorted, expected);
        QCOMPARE(permutation(1000, 7, 0), first);
        QVERIFY(permutation(1000, 7, 1) != first);
        QVERIFY(permutation(1000, 8, 0) != first);
    }
    void boundedNumbersAreUniform() {
        CounterRng rng(3);
        std::array<int, 10> counts{};
        for (int i = 0; i < 100000; ++i)
            ++counts[rng.nextBelow(10)];
        for (const int count : counts)
            QVERIFY2(std::abs(count - 10000) < 500, qPrintable(QString::number(count)));
    }
};

QTEST_GUILESS_MAIN(RngTest)
#include "tst_rng.moc"
