// SPDX-License-Identifier: GPL-3.0-or-later
// How much of a pixel a line covers, and how inks mix where curves lie over each other.
#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "ui/charts/paint/ink_column.h"
#include "ui/charts/paint/line_coverage.h"

using namespace lockstep::ui;

namespace {

/// How much the line covers of the pixel around a point: 1 until half a pixel within its edge, 0
/// from half a pixel beyond it, by the distance to the nearest part.
double coverageAt(LinePoint pixel, const std::vector<LinePoint>& points,
                  LineCoverage::Style style) {
    const auto isThere = [&](std::size_t i) {
        return i < points.size() && std::isfinite(points[i].y);
    };
    const auto distance = [&](const LinePoint& from, const LinePoint& to) {
        const double dx = double(to.x) - double(from.x);
        const double dy = double(to.y) - double(from.y);
        const double px = double(pixel.x) - double(from.x);
        const double py = double(pixel.y) - double(from.y);
        const double square = dx * dx + dy * dy;
        const double along = square > 0 ? std::clamp((px * dx + py * dy) / square, 0.0, 1.0) : 0;
        return std::hypot(px - along * dx, py - along * dy);
    };
    double coverage = 0;
    const auto include = [&](double radius, const LinePoint& from, const LinePoint& to) {
        coverage = std::max(coverage, std::clamp(radius + 0.5 - distance(from, to), 0.0, 1.0));
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!isThere(i)) continue;
        if (isThere(i + 1)) include(double(style.halfWidth), points[i], points[i + 1]);
        const bool alone = !isThere(i + 1) && (i == 0 || !isThere(i - 1));
        if (style.dotted || alone) include(double(style.dotRadius), points[i], points[i]);
    }
    return coverage;
}

}  // namespace

Q_DECLARE_METATYPE(lockstep::ui::RowRange)

class TestInk : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLineCoversItsWidthAndNothingTwice() {
        // Flat, with a joint in the middle of a pixel: 1.5 pixels of ink in every column.
        const std::vector<LinePoint> points{{-5, 10.3F}, {20.5F, 10.3F}, {50, 10.3F}};
        LineCoverage line(points, {}, 20);
        std::vector<float> scratch(20);
        for (int x = 0; x < 45; ++x) {
            const LineCoverage::Rows rows = line.column(x, {}, scratch);
            float sum = 0;
            for (const float coverage : rows.coverage) {
                QVERIFY(coverage >= 0 && coverage <= 1);
                sum += coverage;
            }
            QVERIFY2(std::abs(sum - 1.5F) < 0.01F, qPrintable(QString::number(double(sum))));
        }
    }

    void linesCoverWhatTheirDistanceSays_data() {
        QTest::addColumn<bool>("dotted");
        QTest::addColumn<RowRange>("hidden");
        QTest::newRow("lines") << false << RowRange{};
        QTest::newRow("lines and dots") << true << RowRange{};
        QTest::newRow("rows in the middle hidden") << true << RowRange{20, 35};
    }

    void linesCoverWhatTheirDistanceSays() {
        QFETCH(bool, dotted);
        QFETCH(RowRange, hidden);
        constexpr int kHeight = 60;
        constexpr int kWidth = 50;
        lockstep::CounterRng rng(5);
        std::vector<float> scratch(kHeight);
        for (int round = 0; round < 200; ++round) {
            std::vector<LinePoint> points;
            float x = -5;
            while (x < kWidth + 5) {
                const bool isHole = rng.nextBelow(8) == 0;
                points.push_back({x, isHole ? std::numeric_limits<float>::quiet_NaN()
                                            : rng.nextFloat(-40, kHeight + 40)});
                x += rng.nextBelow(6) == 0 ? 0 : rng.nextFloat(0, round % 2 == 0 ? 3 : 30);
            }
            const LineCoverage::Style style{0.75F, 2.5F, dotted};
            LineCoverage line(points, style, kHeight);
            for (int column = 0; column < kWidth; ++column) {
                const LineCoverage::Rows rows = line.column(column, hidden, scratch);
                for (int y = 0; y < kHeight; ++y) {
                    if (y >= hidden.first && y < hidden.last) continue;
                    const auto at = std::size_t(y - rows.first);
                    const bool isTouched = y >= rows.first && at < rows.coverage.size();
                    const float covered = isTouched ? rows.coverage[at] : 0.0F;
                    const double expected =
                        coverageAt({float(column) + 0.5F, float(y) + 0.5F}, points, style);
                    QVERIFY2(std::abs(double(covered) - expected) < 1e-3,
                             qPrintable(QStringLiteral("column %1, row %2: %3 instead of %4")
                                            .arg(column)
                                            .arg(y)
                                            .arg(double(covered))
                                            .arg(expected)));
                }
            }
        }
    }

    void inkOverInkMixesAndAHundredFaintStrokesLoseNothing() {
        InkColumn column(4);
        std::vector<quint32> pixels(4);
        column.clear();
        column.span(1, 2.5F, Ink(QColor(0, 0, 0, 128)));
        column.span(0, 4, Ink(QColor(200, 100, 50)));
        column.pack(pixels);
        QCOMPARE(pixels[0], qRgb(200, 100, 50));
        QVERIFY(std::abs(qRed(pixels[1]) - 100) <= 1 && qAlpha(pixels[1]) == 255);
        QVERIFY(std::abs(qRed(pixels[2]) - 150) <= 1);  // half of the row
        QCOMPARE(pixels[3], qRgb(200, 100, 50));

        column.clear();
        for (int i = 0; i < 100; ++i)
            column.span(0, 4, Ink(QColor(255, 255, 255, 12)));
        column.pack(pixels);
        const int expected = int(std::lround(255 * (1 - std::pow(1 - 12 / 255.0, 100))));
        QVERIFY2(std::abs(qAlpha(pixels[0]) - expected) <= 1,
                 qPrintable(QString::number(qAlpha(pixels[0]))));
    }

    void whatLiesBehindManyCurvesIsLeftOutWithoutATrace() {
        constexpr int kHeight = 60;
        lockstep::CounterRng rng(11);
        InkColumn column(kHeight);
        std::vector<quint32> pixels(kHeight);
        for (int round = 0; round < 20; ++round) {
            struct Stroke {
                float top;
                float bottom;
                QColor colour;
            };
            std::vector<Stroke> frontToBack;
            for (int i = 0; i < 80; ++i) {
                const float top = rng.nextFloat(-10, 50);
                const QColor colour(int(rng.nextBelow(256)), int(rng.nextBelow(256)),
                                    int(rng.nextBelow(256)), 40 + int(rng.nextBelow(216)));
                frontToBack.push_back({top, top + rng.nextFloat(0.2F, 40), colour});
            }
            column.clear();
            for (const Stroke& stroke : frontToBack) {
                if (round % 2 == 0) {
                    column.span(stroke.top, stroke.bottom, Ink(stroke.colour));
                    continue;
                }
                std::vector<float> coverage(kHeight);
                for (int y = 0; y < kHeight; ++y)
                    coverage[std::size_t(y)] = std::clamp(
                        std::min(stroke.bottom, float(y + 1)) - std::max(stroke.top, float(y)),
                        0.0F, 1.0F);
                column.covered(0, coverage, Ink(stroke.colour));
            }
            column.pack(pixels);

            for (int y = 0; y < kHeight; ++y) {
                // Laid over each other from the back, in full precision.
                std::array<double, 4> expected{};
                for (auto stroke = frontToBack.rbegin(); stroke != frontToBack.rend(); ++stroke) {
                    const double covered = std::clamp(
                        std::min(stroke->bottom, float(y + 1)) - std::max(stroke->top, float(y)),
                        0.0F, 1.0F);
                    const double alpha = covered * double(stroke->colour.alphaF());
                    const std::array<double, 4> ink{double(stroke->colour.red()),
                                                    double(stroke->colour.green()),
                                                    double(stroke->colour.blue()), 255.0};
                    for (std::size_t i = 0; i < 4; ++i)
                        expected[i] = expected[i] * (1 - alpha) + ink[i] * alpha;
                }
                const quint32 pixel = pixels[std::size_t(y)];
                const std::array<int, 4> drawn{qRed(pixel), qGreen(pixel), qBlue(pixel),
                                               qAlpha(pixel)};
                for (std::size_t i = 0; i < 4; ++i)
                    QVERIFY2(std::abs(drawn[i] - expected[i]) <= 1.5,
                             qPrintable(QStringLiteral("row %1, channel %2: %3 instead of %4")
                                            .arg(y)
                                            .arg(i)
                                            .arg(drawn[i])
                                            .arg(expected[i])));
            }
        }
    }
};

QTEST_MAIN(TestInk)
#include "tst_ink.moc"
