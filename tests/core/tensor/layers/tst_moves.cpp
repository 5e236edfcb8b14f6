// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/tensor/cpu/layers/embedding.h"
#include "core/tensor/cpu/layers/image_moves.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

/// Embeddings, and what takes numbers to other places.
class MovesTest : public QObject {
    Q_OBJECT
    static constexpr ImageShape kImage{2, 3, 4, 5};

    static std::size_t element(const ImageShape& s, std::size_t n, std::size_t y, std::size_t x,
                               std::size_t c) {
        return ((n * s.height + y) * s.width + x) * s.channels + c;
    }
    /// Calls visit(n, row, column, channel) for each number of the image.
    template <typename Visit>
    static void forEach(const ImageShape& s, Visit visit) {
        for (std::size_t n = 0; n < s.batch; ++n)
            for (std::size_t y = 0; y < s.height; ++y)
                for (std::size_t x = 0; x < s.width; ++x)
                    for (std::size_t c = 0; c < s.channels; ++c)
                        visit(n, y, x, c);
    }

private slots:
    void embeddingTakesRowsAndItsGradientAddsToThem() {
        const std::vector<std::int32_t> rows{3, 0, 3, 6, 3};
        const Floats table = randomFloats(7 * 9, 1);
        const Floats dy = randomFloats(5 * 9, 2);
        Floats y(45), dTable(63, 7);
        embedding({table.data(), 7, 9}, rows, {y.data(), 5, 9});
        embeddingGradient(rows, {dy.data(), 5, 9}, {dTable.data(), 7, 9});
        Floats expected(63);
        for (std::size_t i = 0; i < 45; ++i) {
            const auto at = static_cast<std::size_t>(rows[i / 9]) * 9 + i % 9;
            QCOMPARE(y[i], table[at]);
            expected[at] += dy[i];  // In this order: the same bits.
        }
        QVERIFY(sameBits(dTable, expected));
        embeddingGradient(rows, {dy.data(), 5, 9}, {dTable.data(), 7, 9}, true);
        QCOMPARE(dTable[6 * 9], expected[6 * 9] + dy[3 * 9]);
        QCOMPARE(dTable[1 * 9], 0.0F);
    }
    void positionsHaveARowEach() {
        const Floats x = randomFloats(3 * 4 * 5, 1);
        const Floats table = randomFloats(4 * 5, 2);
        Floats y(x.size()), dTable(20, 7);
        positionEmbedding({x.data(), 3, 20}, {table.data(), 4, 5}, {y.data(), 3, 20});
        positionEmbeddingGradient({x.data(), 3, 20}, {dTable.data(), 4, 5});
        Doubles expected(20);
        for (std::size_t i = 0; i < x.size(); ++i) {
            QCOMPARE(y[i], x[i] + table[i % 20]);
            expected[i % 20] += static_cast<double>(x[i]);
        }
        QVERIFY(worstError(dTable, expected) < 1e-6);
    }
    void paddingPutsZerosAround() {
        const Extent before{1, 0};
        const Extent after{2, 3};
        const ImageShape padded{2, 6, 7, 5};
        const Floats x = randomFloats(kImage.size(), 1);
        Floats y(padded.size(), 7), dx(x.size(), 7);
        zeroPadding(kImage, before, after, x, y);
        Floats expected(padded.size());
        forEach(kImage, [&](auto n, auto row, auto column, auto c) {
            expected[element(padded, n, row + 1, column, c)] =
                x[element(kImage, n, row, column, c)];
        });
        QVERIFY(sameBits(y, expected));
        zeroPaddingGradient(kImage, before, after, y, dx);
        QVERIFY(sameBits(dx, x));
    }
    void upSamplingRepeatsPixelsAndItsGradientAddsThem() {
        const ImageShape large{2, 6, 12, 5};
        const Floats x = randomFloats(kImage.size(), 1);
        const Floats dy = randomFloats(large.size(), 2);
        Floats y(large.size(), 7), dx(x.size(), 7);
        upSampling(kImage, {2, 3}, x, y);
        upSamplingGradient(kImage, {2, 3}, dy, dx);
        Doubles expected(x.size());
        forEach(large, [&](auto n, auto row, auto column, auto c) {
            const std::size_t from = element(kImage, n, row / 2, column / 3, c);
            QCOMPARE(y[element(large, n, row, column, c)], x[from]);
            expected[from] += static_cast<double>(dy[element(large, n, row, column, c)]);
        });
        QVERIFY(worstError(dx, expected) < 1e-6);
    }
    void channelsGoFirstAndComeBack() {
        for (const std::size_t channels : {1U, 3U, 16U, 33U}) {
            const std::size_t places = 35;
            const Floats x = randomFloats(2 * places * channels, 1);
            Floats y(x.size()), back(x.size());
            toChannelsFirst(2, places, channels, x, y);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const std::size_t n = i / (places * channels);
                const std::size_t place = i / channels % places;
                QCOMPARE(y[(n * channels + i % channels) * places + place], x[i]);
            }
            toChannelsLast(2, places, channels, y, back);
            QVERIFY(sameBits(back, x));
        }
    }
    void columnsAreJoinedAndTakenApart() {
        const Floats a = randomFloats(4 * 3, 1);
        const Floats b = randomFloats(4 * 2, 2);
        Floats whole(20), first(12), second(8);
        putColumns({a.data(), 4, 3}, 0, {whole.data(), 4, 5});
        putColumns({b.data(), 4, 2}, 3, {whole.data(), 4, 5});
        for (std::size_t r = 0; r < 4; ++r)
            for (std::size_t c = 0; c < 5; ++c)
                QCOMPARE(whole[r * 5 + c], c < 3 ? a[r * 3 + c] : b[r * 2 + c - 3]);
        takeColumns({whole.data(), 4, 5}, 0, {first.data(), 4, 3});
        takeColumns({whole.data(), 4, 5}, 3, {second.data(), 4, 2});
        QVERIFY(sameBits(first, a) && sameBits(second, b));
    }
};

QTEST_GUILESS_MAIN(MovesTest)
#include "tst_moves.moc"
