// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QtTest>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <thread>

#include "core/base/rng.h"
#include "core/tensor/cpu/gemm.h"
#include "core/tensor/cpu/layers/losses.h"
#include "core/tensor/cpu/operations.h"
#include "tests/support/reference.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

/// A matrix with its memory.
struct Owned {
    std::size_t rows;
    std::size_t columns;
    std::vector<float> values;

    Owned(std::size_t rowCount, std::size_t columnCount, std::uint64_t stream = 0)
        : rows(rowCount), columns(columnCount), values(rows * columns) {
        CounterRng rng(23, stream);
        for (float& value : values)
            value = rng.nextFloat(-1, 1);
    }
    [[nodiscard]] Matrix view() { return {values.data(), rows, columns}; }
    [[nodiscard]] ConstMatrix view() const { return {values.data(), rows, columns}; }
    [[nodiscard]] DoubleMatrix exact() const { return {rows, columns, values}; }
};

/// The largest difference between float32 results and what they should be.
double error(std::span<const float> values, const std::vector<double>& expected) {
    if (values.size() != expected.size()) return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(values[i]) - expected[i]));
    return largest;
}

std::size_t threadCount() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace

class OperationsTest : public QObject {
    Q_OBJECT
private slots:
    void productsMatchFloat64_data() {
        QTest::addColumn<quint64>("batch");
        QTest::addColumn<quint64>("in");
        QTest::addColumn<quint64>("out");
        QTest::newRow("no sample") << quint64{0} << quint64{13} << quint64{5};
        QTest::newRow("one sample") << quint64{1} << quint64{784} << quint64{256};
        QTest::newRow("one of all") << quint64{1} << quint64{1} << quint64{1};
        QTest::newRow("odd") << quint64{7} << quint64{13} << quint64{17};
        QTest::newRow("guide's first layer") << quint64{32} << quint64{784} << quint64{256};
        QTest::newRow("guide's last layer") << quint64{33} << quint64{256} << quint64{10};
        QTest::newRow("long sum") << quint64{1000} << quint64{3} << quint64{5};
    }
    void productsMatchFloat64() {
        QFETCH(quint64, batch);
        QFETCH(quint64, in);
        QFETCH(quint64, out);
        const Owned x(batch, in, 1), weight(out, in, 2), dy(batch, out, 4);
        Owned y(batch, out), dWeight(out, in), dx(batch, in);
        multiplyByTransposed(x.view(), weight.view(), y.view());
        multiplyTransposedBy(dy.view(), x.view(), dWeight.view());
        multiply(dy.view(), weight.view(), dx.view());
        const auto isNear = [](const Owned& found, const DoubleMatrix& expected, quint64 terms) {
            return error(found.values, expected.values) <=
                   1e-5 * std::sqrt(static_cast<double>(terms));
        };
        QVERIFY(isNear(y, referenceProduct(x.exact(), referenceTranspose(weight.exact())), in));
        QVERIFY(
            isNear(dWeight, referenceProduct(referenceTranspose(dy.exact()), x.exact()), batch));
        QVERIFY(isNear(dx, referenceProduct(dy.exact(), weight.exact()), out));
    }
    void aSmallPartOfABatchComputesTheSameRows_data() {
        QTest::addColumn<quint64>("in");
        QTest::addColumn<quint64>("out");
        // Widths at which oneDNN takes different ways: of 1024 it copies the matrices first.
        for (const auto& [in, out] :
             {std::pair<quint64, quint64>{784, 256}, {1024, 1024}, {27, 16}, {1200, 101}})
            QTest::addRow("%llu to %llu", in, out) << in << out;
    }
    void aSmallPartOfABatchComputesTheSameRows() {
        // Replicas that share a batch out must see the activations that one replica would.
        QFETCH(quint64, in);
        QFETCH(quint64, out);
        constexpr std::size_t kBatch = 606;
        const Owned x(kBatch, in, 1), weight(out, in, 2), dy(kBatch, out, 4);
        Owned whole(kBatch, out), parts(kBatch, out), dxWhole(kBatch, in), dxParts(kBatch, in);
        const auto run = [&](std::size_t first, std::size_t count, Owned& y, Owned& dx) {
            const auto cut = [first, count](auto matrix) {
                matrix.data += first * matrix.columns;
                matrix.rows = count;
                return matrix;
            };
            multiplyByTransposed(cut(x.view()), weight.view(), cut(y.view()));
            multiply(cut(dy.view()), weight.view(), cut(dx.view()));
        };
        run(0, kBatch, whole, dxWhole);
        for (const std::size_t rows : {1, 3, 8, 16, 50, 101, 250}) {
            for (std::size_t first = 0; first < kBatch; first += rows)
                run(first, std::min<std::size_t>(rows, kBatch - first), parts, dxParts);
            QVERIFY2(parts.values == whole.values, qPrintable(QString::number(rows)));
            QVERIFY2(dxParts.values == dxWhole.values, qPrintable(QString::number(rows)));
        }
    }
    void aSmallPartOfABatchComputesTheSameRowsOnEveryProcessor_data() {
        QTest::addColumn<QString>("instructions");
        for (const char* isa : {"SSE41", "AVX", "AVX2", "AVX512_CORE"})
            QTest::newRow(isa) << QString::fromLatin1(isa);
    }
    void aSmallPartOfABatchComputesTheSameRowsOnEveryProcessor() {
        // oneDNN uses no more than it is allowed and the machine has.
        QFETCH(QString, instructions);
        QProcess test;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DNNL_MAX_CPU_ISA"), instructions);
        test.setProcessEnvironment(environment);
        test.start(QCoreApplication::applicationFilePath(),
                   {QStringLiteral("aSmallPartOfABatchComputesTheSameRows")});
        QVERIFY(test.waitForFinished(60'000));
        const QByteArray said = test.readAllStandardOutput();
        QVERIFY2(test.exitStatus() == QProcess::NormalExit && test.exitCode() == 0, said);
        QVERIFY2(said.contains("6 passed"), said);
    }
    void matrixProductsStayOnTheirThread() {
        const Owned x(512, 784, 1), weight(256, 784, 2);
        Owned first(512, 256), second(512, 256);
        const std::size_t threads = threadCount();
        multiplyByTransposed(x.view(), weight.view(), first.view());
        QCOMPARE(threadCount(), threads);
        std::size_t threadsThere = 0;
        std::thread other([&] {
            multiplyByTransposed(x.view(), weight.view(), second.view());
            threadsThere = threadCount();
        });
        other.join();
        QCOMPARE(threadsThere, threads + 1);
        QVERIFY(first.values == second.values);
    }

    void bytesAreScaledToOne() {
        const std::vector<std::uint8_t> bytes{0, 1, 51, 128, 255};
        std::vector<float> values(bytes.size());
        scaleBytes(bytes, values);
        QCOMPARE(values,
                 (std::vector<float>{0.0F, 1.0F / 255.0F, 51.0F / 255.0F, 128.0F / 255.0F, 1.0F}));
    }

    void crossEntropyAndItsGradientMatchFloat64() {
        Owned logits(50, 10, 5);
        for (float& value : logits.values)
            value *= 8;
        std::vector<std::int32_t> labels(50);
        for (std::size_t i = 0; i < labels.size(); ++i)
            labels[i] = static_cast<std::int32_t>(i * 7 % 10);
        const auto losses = referenceCrossEntropy(logits.exact(), labels);
        auto gradient = referenceSoftmax(logits.exact());
        double correct = 0;
        for (std::size_t r = 0; r < 50; ++r) {
            const auto row = logits.view().row(r);
            correct += std::ranges::max_element(row) - row.begin() == labels[r] ? 1 : 0;
            gradient.at(r, static_cast<std::size_t>(labels[r])) -= 1;
        }
        for (double& value : gradient.values)
            value *= 0.02;
        QVERIFY(correct > 0 && correct < 50);

        LossTotals totals{.lossSum = 100, .correct = 10, .samples = 1};
        Owned dLogits(50, 10);
        sparseCrossEntropy(logits.view(), labels, {}, 0.02F, dLogits.view(), totals);
        const double lossSum = std::accumulate(losses.begin(), losses.end(), 0.0);
        QVERIFY(std::abs(totals.lossSum - 100 - lossSum) < 1e-5 * lossSum);
        QCOMPARE(totals.correct, 10 + correct);
        QCOMPARE(totals.samples, 51.0);
        QVERIFY(error(dLogits.values, gradient.values) < 1e-8);

        Owned inPlace = logits;
        LossTotals again;
        sparseCrossEntropy(inPlace.view(), labels, {}, 0.02F, inPlace.view(), again);
        QVERIFY(inPlace.values == dLogits.values);
        LossTotals withoutGradient;
        sparseCrossEntropy(logits.view(), labels, {}, 0.02F, {}, withoutGradient);
        QCOMPARE(withoutGradient.lossSum, again.lossSum);
    }
    void softmaxIsStableForLogitsOfTenThousand() {
        Owned logits(3, 3);
        logits.values = {1e4F, -1e4F, 0, -1e4F, -1e4F, -1e4F, 1e4F, 1e4F, -1e4F};
        const std::vector<std::int32_t> labels{1, 2, 0};
        Owned dLogits(3, 3);
        LossTotals totals;
        sparseCrossEntropy(logits.view(), labels, {}, 1, dLogits.view(), totals);
        QVERIFY(std::abs(totals.lossSum - (2e4 + std::log(3) + std::log(2))) < 1e-6);
        const std::vector<double> expected{1, -1, 0, 1 / 3., 1 / 3., -2 / 3., -0.5, 0.5, 0};
        QVERIFY(error(dLogits.values, expected) < 1e-7);
    }
    void notANumberInALogitReachesTheLoss() {
        for (const float bad :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
            for (std::size_t place = 0; place < 3; ++place) {
                Owned logits(1, 3, 6);
                logits.values[place] = bad;
                LossTotals totals;
                const std::vector<std::int32_t> labels{1};
                sparseCrossEntropy(logits.view(), labels, {}, 1, {}, totals);
                QVERIFY(!std::isfinite(totals.lossSum));
            }
    }
    void predictionsAreTheFirstLargestWithTheirProbabilities() {
        Owned logits(2, 4), probabilities(2, 4);
        logits.values = {1, 3, 3, -2, 0, 0, 0, 0};
        QCOMPARE(softmax(logits.view().row(0), probabilities.view().row(0)), 1);
        QCOMPARE(softmax(logits.view().row(1), probabilities.view().row(1)), 0);
        QVERIFY(error(probabilities.values, referenceSoftmax(logits.exact()).values) < 1e-7);
    }

    void theStateHashIsXxh3OfTheBytesInOrder() {
        QCOMPARE(stateHash({}), std::string("99aa06d3014798d86001c324468d497f"));
        const Owned state(1, 1000, 7);
        const std::span<const float> whole(state.values);
        using Parts = std::vector<std::span<const float>>;
        const auto hashOf = [](const Parts& parts) { return stateHash(parts); };
        const std::string hash = hashOf({whole});
        QCOMPARE(hash.size(), std::size_t{32});
        QCOMPARE(hashOf({whole.first(17), {}, whole.subspan(17)}), hash);
        QVERIFY(hashOf({whole.subspan(17), whole.first(17)}) != hash);
        Owned changed = state;
        changed.values[999] = std::nextafter(changed.values[999], 2.0F);
        QVERIFY(hashOf({changed.values}) != hash);
    }
    void numbersAreJudgedWhereverTheyAre() {
        Owned values(1, 100, 9);
        QVERIFY(allFinite(values.values));
        QVERIFY(allFinite({}));
        for (const std::size_t place : {0, 50, 99}) {
            Owned spoilt = values;
            spoilt.values[place] = std::numeric_limits<float>::quiet_NaN();
            QVERIFY(!allFinite(spoilt.values));
        }
    }
};

QTEST_GUILESS_MAIN(OperationsTest)
#include "tst_operations.moc"
