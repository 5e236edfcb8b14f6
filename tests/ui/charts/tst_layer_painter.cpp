// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "tests/ui/bench/chart_exactness.h"
#include "ui/charts/layer_painter.h"
#include "ui/charts/line_coverage.h"
#include "ui/charts/series_renderer.h"

using namespace lockstep::ui;

namespace {

const auto kNever = [] { return false; };

LayerRequest requestFor(const Column& column, ChartGroup::Range x, ChartGroup::Range y) {
    LayerRequest request;
    request.size = {400, 200};
    request.x = x;
    request.y = y;
    request.marker = Qt::red;
    request.series.push_back({0, column.view(), {}, QColor(0, 0, 255), false});
    return request;
}

std::vector<float> noise(qint64 count) {
    lockstep::CounterRng rng(7);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values)
        value = rng.nextFloat(0.2F, 0.8F);
    return values;
}

/// The highest row of the picture in which something is drawn within a range of columns.
int highestInk(const QImage& image, int left, int right) {
    for (int y = 0; y < image.height(); ++y) {
        for (int x = std::max(0, left); x <= std::min(right, image.width() - 1); ++x) {
            if (qAlpha(image.pixel(x, y)) > 60) return y;
        }
    }
    return image.height();
}

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

class TestLayerPainter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneSpikeAmongAMillionShowsAtEveryZoom() {
        constexpr qint64 kCount = 1'000'000;
        constexpr qint64 kSpike = 612'345;
        std::vector<float> values(kCount, 0.1f);
        values[kSpike] = 0.9f;
        Column column;
        column.append(0, values);
        LayerPainter painter;
        WorkCrew alone(0);

        for (double span = kCount; span >= 4; span /= 3) {
            const double first = std::max(0.0, double(kSpike) - span * 0.37);
            const ChartGroup::Range x{first, first + span};
            const RenderedLayer layer = painter.paint(requestFor(column, x, {0, 1}), alone, kNever);
            const int at = int((double(kSpike) - first) / span * 400);
            const int top = highestInk(layer.image, at - 2, at + 2);
            QVERIFY2(top <= 22, qPrintable(QStringLiteral("span %1: row %2").arg(span).arg(top)));
        }
    }

    void columnsShowWhatAWalkFromPointToPointCovers_data() {
        QTest::addColumn<double>("span");
        for (const double span : {200'000.0, 45'678.9, 8'192.0, 1'234.5, 401.0, 77.0})
            QTest::newRow(qPrintable(QString::number(span))) << span;
    }
    void columnsShowWhatAWalkFromPointToPointCovers() {
        QFETCH(double, span);
        std::vector<float> values = noise(200'000);
        for (std::size_t spike = 99; spike < values.size(); spike += 7'919)
            values[spike] = spike % 2 == 0 ? 1.0F : 0.0F;
        Column column;
        column.append(0, values);

        for (int i = 0; i < 5; ++i) {
            const double first = (200'000 - span) * i / 5 + 0.37 * i;
            const LayerRequest request = requestFor(column, {first, first + span}, {0, 1});
            QCOMPARE(lockstep::bench::differingColumns(request, {400, 200}), 0);
        }
    }

    void whatOnlyGrewIsThePictureThatIsDrawnAnew_data() {
        QTest::addColumn<int>("points");
        QTest::addColumn<double>("smoothing");
        QTest::newRow("lines") << 100 << 0.0;
        QTest::newRow("columns") << 20'000 << 0.0;
        QTest::newRow("smoothed") << 20'000 << 0.9;
    }
    void whatOnlyGrewIsThePictureThatIsDrawnAnew() {
        QFETCH(int, points);
        QFETCH(double, smoothing);
        const std::vector<float> values = noise(2 * points);
        const auto all = std::span(values);
        const auto count = static_cast<std::size_t>(points);
        Column column;
        column.append(0, all.first(count));
        WorkCrew alone(0);
        LayerPainter growing;
        const auto request = [&] {
            LayerRequest wanted = requestFor(column, {0, 2.0 * points}, {0, 1});
            wanted.smoothing = smoothing;
            return wanted;
        };
        (void)growing.paint(request(), alone, kNever);

        // In steps of which some end within a column and some bring what is not finite.
        for (std::size_t next = count; next < values.size(); next += count / 10) {
            std::vector<float> piece(all.begin() + qsizetype(next),
                                     all.begin() + qsizetype(next + count / 10));
            piece[piece.size() / 2] = std::numeric_limits<float>::quiet_NaN();
            column.append(qint64(next), piece);
            const RenderedLayer grown = growing.paint(request(), alone, kNever);
            const RenderedLayer anew = LayerPainter().paint(request(), alone, kNever);
            QCOMPARE(grown.image, anew.image);
        }
    }

    void severalThreadsDrawWhatOneDoes() {
        Column column;
        column.append(0, noise(50'000));
        WorkCrew alone(0);
        WorkCrew many(3);
        for (const double span : {50'000.0, 900.0, 150.0}) {
            const LayerRequest request = requestFor(column, {0, span}, {0, 1});
            const RenderedLayer one = LayerPainter().paint(request, alone, kNever);
            for (int i = 0; i < 5; ++i)
                QCOMPARE(LayerPainter().paint(request, many, kNever).image, one.image);
        }
    }

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

    void whatComesLaterIsInFrontAndLinesAreInFrontOfBands() {
        Column band;
        band.append(0, noise(20'000));
        Column line;  // two points, through the middle of the band
        line.append(0, std::vector<float>{0.5F});
        line.append(20'000, std::vector<float>{0.5F});
        const QColor red(255, 0, 0);
        const QColor green(0, 255, 0);
        const QColor blue(0, 0, 255);
        const auto middleOf = [](const std::vector<LayerSeries>& series) {
            LayerRequest request;
            request.size = {400, 200};
            request.x = {0, 20'000};
            request.y = {0, 1};
            request.series = series;
            WorkCrew alone(0);
            return LayerPainter().paint(request, alone, kNever);
        };
        const auto pixel = [](const RenderedLayer& layer) {
            return QColor(layer.image.pixel(200, 100));
        };

        // A band among others lets a third of what is behind it through.
        const QColor later =
            pixel(middleOf({{0, band.view(), {}, red, false}, {1, band.view(), {}, green, false}}));
        QVERIFY(later.green() > 2 * later.red() && later.red() > 20);
        const QColor lined = pixel(
            middleOf({{0, line.view(), {}, blue, false}, {1, band.view(), {}, green, false}}));
        QVERIFY(lined.blue() > lined.green());
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

    void theYAxisIsChosenByWhatIsShown() {
        std::vector<float> values(1'000, 0.5F);
        values[900] = 4;
        Column column;
        column.append(0, values);
        WorkCrew alone(0);
        LayerRequest request = requestFor(column, {0, 500}, {0, 1});
        request.automaticY = YAxisRules{0.0, {}, false};
        const ChartGroup::Range left = LayerPainter().paint(request, alone, kNever).y;
        QVERIFY(left.first == 0 && left.last >= 0.5 && left.last < 1);
        request.x = {850, 950};
        QVERIFY(LayerPainter().paint(request, alone, kNever).y.last >= 4);
    }

    void aCrewDoesEveryPieceOnce() {
        WorkCrew crew(3);
        for (const int pieces : {0, 1, 2, 1'000}) {
            std::vector<std::atomic<int>> done(static_cast<std::size_t>(pieces));
            crew.run(pieces, [&](int piece) { ++done[static_cast<std::size_t>(piece)]; });
            for (const std::atomic<int>& count : done)
                QCOMPARE(count.load(), 1);
        }
    }

    void valuesThatAreNotFiniteAreMarked() {
        std::vector<float> values(10'000, 0.1f);
        values[5000] = std::numeric_limits<float>::quiet_NaN();
        Column column;
        column.append(0, values);
        LayerPainter painter;
        WorkCrew alone(0);

        const RenderedLayer layer =
            painter.paint(requestFor(column, {0, 10'000}, {0, 1}), alone, kNever);

        QVERIFY(highestInk(layer.image, 190, 210) < 6);
        QVERIFY(highestInk(layer.image, 20, 180) > 100);
    }

    void aLineAcrossManyPixelsHasNoHoles_data() {
        QTest::addColumn<int>("points");
        for (const int points : {2, 50, 190, 210, 399, 1000, 100'000}) {
            QTest::newRow(qPrintable(QString::number(points))) << points;
        }
    }
    void aLineAcrossManyPixelsHasNoHoles() {
        QFETCH(int, points);
        std::vector<float> values;
        for (int i = 0; i < points; ++i)
            values.push_back(float(i) / float(points - 1));
        Column column;
        column.append(0, values);
        LayerPainter painter;
        WorkCrew alone(0);

        const RenderedLayer layer =
            painter.paint(requestFor(column, {0, double(points - 1)}, {0, 1}), alone, kNever);

        for (int x = 2; x < 398; ++x) {
            const int expected = 200 - x / 2;
            QVERIFY(std::abs(highestInk(layer.image, x, x) - expected) <= 3);
        }
    }

    void smoothingIsTheDebiasedMeanOfTheFiniteValues() {
        Column column;
        column.append(1, std::vector<float>{1, 2, std::numeric_limits<float>::quiet_NaN(), 4});
        Smoother smoother;

        const ColumnView mean = smoother.smooth(0, column.view(), 0.5, kNever);

        // last: 0.5, 1.25, -, 2.625; divided by 1 - 0.5^n: n = 1, 2, -, 3
        QCOMPARE(mean.at(0), 1.f);
        QCOMPARE(mean.at(1), float(1.25 / 0.75));
        QVERIFY(std::isnan(mean.at(2)));
        QCOMPARE(mean.at(3), 3.f);
    }

    void ofFewPointsNoMeanIsDrawnThatWouldOnlyLagBehind() {
        for (const qint64 points : {qint64(20), qint64(2000)}) {
            Column column;
            column.append(0, std::vector<float>(std::size_t(points), 0.5f));
            LayerPainter painter;
            WorkCrew alone(0);
            LayerRequest request = requestFor(column, {0, double(points)}, {0, 1});
            request.smoothing = 0.9;
            const RenderedLayer layer = painter.paint(request, alone, kNever);
            QCOMPARE(layer.smoothed.empty(), points == 20);
        }
    }

    void smoothingGoesOnWhereItWasInterrupted() {
        std::vector<float> values(200'000);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = float(i % 100);
        Column column;
        column.append(1, values);
        Smoother whole;
        Smoother broken;

        const ColumnView expected = whole.smooth(0, column.view(), 0.9, kNever);
        ColumnView actual = broken.smooth(0, column.view(), 0.9, [] { return true; });
        QVERIFY(actual.size() < expected.size());
        for (int i = 0; i < 10; ++i)
            actual = broken.smooth(0, column.view(), 0.9, [] { return true; });

        QCOMPARE(actual.size(), expected.size());
        for (qint64 i = 0; i < expected.size(); i += 997)
            QCOMPARE(actual.at(i), expected.at(i));
    }

    void picturesOfSeveralChartsComeTogether() {
        Column column;
        column.append(0, noise(1'000));
        SeriesRenderer renderer;
        std::vector<int> inOneGo;  // pictures that came before the event loop went on
        int now = 0;
        QObject boundary;
        std::vector<int> clients;
        for (int chart = 0; chart < 4; ++chart)
            clients.push_back(renderer.addClient([&](const RenderedLayer&) {
                if (now++ > 0) return;
                QMetaObject::invokeMethod(
                    &boundary, [&] { inOneGo.push_back(std::exchange(now, 0)); },
                    Qt::QueuedConnection);
            }));
        constexpr int kTimes = 10;
        for (int time = 0; time < kTimes; ++time) {
            int wanted = int(clients.size());
            for (const int one : inOneGo)
                wanted += one;
            for (const int client : clients)
                renderer.request(client, requestFor(column, {0, 1'000.0 + time}, {0, 1}));
            const auto all = [&] {
                int sum = 0;
                for (const int one : inOneGo)
                    sum += one;
                return sum;
            };
            QTRY_COMPARE_WITH_TIMEOUT(all(), wanted, 10'000);
        }
        // The first may be ready before the others are asked for; one by one they would be forty.
        QVERIFY2(inOneGo.size() <= 2 * kTimes,
                 qPrintable(QString::number(qulonglong(inOneGo.size()))));
        for (const int client : clients)
            renderer.removeClient(client);
    }

    void askingForAPictureNeverWaitsForIt() {
        Column column;
        column.append(0, std::vector<float>(1'000'000, 0.5f));
        LayerRequest request = requestFor(column, {0, 1e6}, {0, 1});
        for (int i = 1; i < 8; ++i) {
            request.series.push_back(request.series.front());
            request.series.back().key = i;
        }
        request.smoothing = 0.9;
        SeriesRenderer renderer;
        quint64 newest = 0;
        const int client =
            renderer.addClient([&](const RenderedLayer& layer) { newest = layer.revision; });

        QElapsedTimer timer;
        qint64 longest = 0;
        for (quint64 revision = 1; revision <= 50; ++revision) {
            request.revision = revision;
            request.smoothing = 0.9 + 0.001 * double(revision % 2);  // everything anew
            timer.start();
            renderer.request(client, request);
            longest = std::max(longest, timer.nsecsElapsed());
        }

        QVERIFY2(longest < 20'000'000,
                 qPrintable(QString::number(longest)));  // 20 ms: a busy machine
        QTRY_COMPARE_WITH_TIMEOUT(newest, quint64(50), 30'000);
        renderer.removeClient(client);
    }
};

QTEST_MAIN(TestLayerPainter)
#include "tst_layer_painter.moc"
