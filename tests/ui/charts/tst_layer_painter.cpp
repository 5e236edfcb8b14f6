// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of few and of many points become a picture of theirs.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/ui/bench/chart_exactness.h"
#include "tests/ui/charts/layer_request.h"
#include "ui/charts/paint/layer_painter.h"

using namespace lockstep::ui;

namespace {

const auto kNever = [] { return false; };

/// The highest row of the picture in which something is drawn within a range of columns.
int highestInk(const QImage& image, int left, int right) {
    for (int y = 0; y < image.height(); ++y) {
        for (int x = std::max(0, left); x <= std::min(right, image.width() - 1); ++x) {
            if (qAlpha(image.pixel(x, y)) > 60) return y;
        }
    }
    return image.height();
}

}  // namespace

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
            const AxisRange x{first, first + span};
            const RenderedLayer layer = painter.paint(requestFor(column, x, {0, 1}), alone, kNever);
            const int at = int((double(kSpike) - first) / span * 400);
            const int top = highestInk(layer.image, at - 2, at + 2);
            QVERIFY2(top <= 22, qPrintable(QStringLiteral("span %1: row %2").arg(span).arg(top)));
        }
    }

    void aSpikeAboveTheSmoothedCurveFlattensNothingAndIsMarked() {
        constexpr qint64 kCount = 4'000;
        constexpr qint64 kSpike = 3'000;
        std::vector<float> values = noise(kCount);  // 0.2 to 0.8
        for (qint64 i = 0; i < 400; ++i)
            values[std::size_t(i)] += 2.0F - float(i) / 200;  // falls from above 2
        values[std::size_t(kSpike)] = 60;
        Column column;
        column.append(0, values);
        WorkCrew alone(0);
        for (const double smoothing : {0.97, 0.0}) {
            LayerRequest request = requestFor(column, {0, double(kCount)}, {});
            request.automaticY = YAxisRules{0.0, {}, false};
            request.smoothing = smoothing;
            const RenderedLayer layer = LayerPainter().paint(request, alone, kNever);
            QVERIFY2(layer.y.first == 0 && layer.y.last > 2.2 && layer.y.last < 6,
                     qPrintable(QString::number(layer.y.last)));
            QCOMPARE(layer.spikes.size(), std::size_t{1});
            QVERIFY(std::abs(layer.spikes[0] * 400 - double(kSpike) / kCount * 400) <= 4);
            QVERIFY(layer.spikes[0] > 0 && highestInk(layer.image, 299, 301) < 2);
        }
        // A zoomed axis is the user's own.
        LayerRequest zoomed = requestFor(column, {0, double(kCount)}, {0, 0.3});
        const RenderedLayer layer = LayerPainter().paint(zoomed, alone, kNever);
        QVERIFY(layer.spikes.empty() && layer.pointsAbove == 0);
    }

    void spikesAcrossTheWholeWidthAreCounted_data() {
        QTest::addColumn<qint64>("count");
        QTest::addColumn<qint64>("every");
        QTest::newRow("few points") << qint64(4'000) << qint64(67);
        QTest::newRow("more than are counted") << qint64(1'000'000) << qint64(60);
    }

    void spikesAcrossTheWholeWidthAreCounted() {
        QFETCH(qint64, count);
        QFETCH(qint64, every);
        std::vector<float> values = noise(count);
        qint64 planted = 0;
        for (qint64 i = every / 2; i < count; i += every, ++planted)
            values[std::size_t(i)] = 60;
        Column column;
        column.append(0, values);
        LayerRequest request = requestFor(column, {0, double(count)}, {});
        request.automaticY = YAxisRules{0.0, {}, true};
        WorkCrew alone(0);

        const RenderedLayer layer = LayerPainter().paint(request, alone, kNever);

        QVERIFY2(layer.y.last < 2, qPrintable(QString::number(layer.y.last)));
        QVERIFY(layer.spikes.empty());
        QCOMPARE(layer.pointsAbove, std::min(planted, RenderedLayer::kMostCounted));
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

    void theYAxisIsChosenByWhatIsShown() {
        std::vector<float> values(1'000, 0.5F);
        values[900] = 4;
        Column column;
        column.append(0, values);
        WorkCrew alone(0);
        LayerRequest request = requestFor(column, {0, 500}, {0, 1});
        request.automaticY = YAxisRules{0.0, {}, false};
        const AxisRange left = LayerPainter().paint(request, alone, kNever).y;
        QVERIFY(left.first == 0 && left.last >= 0.5 && left.last < 1);
        request.x = {850, 950};
        QVERIFY(LayerPainter().paint(request, alone, kNever).y.last >= 4);
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
};

QTEST_MAIN(TestLayerPainter)
#include "tst_layer_painter.moc"
