// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as files: what is shown is what is written, as real vectors, with all that a reader
// needs.
#include <sys/resource.h>

#include <QBuffer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>
#include <cmath>
#include <csignal>
#include <limits>

#include "tests/ui/charts/chart_page.h"
#include "ui/charts/picture/chart_csv.h"
#include "ui/charts/picture/chart_files.h"
#include "ui/charts/picture/curve_strokes.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

using namespace lockstep;
using namespace lockstep::ui;
using Page = lockstep::testsupport::ChartPage;

namespace {

/// What an SVG file is made of.
struct Drawing {
    QStringList words;
    QMap<QString, int> elements;

    explicit Drawing(const QByteArray& svg) {
        QXmlStreamReader reader(svg);
        while (!reader.atEnd()) {
            if (reader.readNext() == QXmlStreamReader::StartElement)
                ++elements[reader.name().toString()];
            if (reader.isCharacters() && !reader.isWhitespace())
                words << reader.text().toString().trimmed();
        }
        if (reader.hasError()) words = {reader.errorString()};
    }
};

QList<QByteArrayList> rowsOf(const ChartPicture& picture) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QList<QByteArrayList> rows;
    if (!writeChartCsv(picture, buffer)) return rows;
    for (const QByteArray& line : buffer.data().trimmed().split('\n'))
        rows << line.split(',');
    return rows;
}

/// No file of this process grows beyond so many bytes while it lives.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes) : former_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &limit_);
        const rlimit small{bytes, limit_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallDisk() {
        setrlimit(RLIMIT_FSIZE, &limit_);
        std::signal(SIGXFSZ, former_);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

private:
    rlimit limit_{};
    void (*former_)(int);
};

}  // namespace

class TestChartFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Dark); }

    void aDrawingIsOfVectorsWithTitleLegendAndAxes() {
        Page page;
        page.loss->setUnit(QStringLiteral("nats"));
        QTRY_VERIFY(page.loss->isUpToDate());

        const Drawing drawing(svgOf(page.loss->picture()));

        const QString words = drawing.words.join(QLatin1Char('|'));
        for (const char* each : {"Loss", "Loss (nats)", "Step", "replica 0", "replica 1"})
            QVERIFY2(drawing.words.contains(QLatin1String(each)), qPrintable(words));
        QVERIFY2(drawing.words.contains(units::count(500)), qPrintable(words));
        QCOMPARE(drawing.elements.value(QStringLiteral("image")), 0);
        QVERIFY(drawing.elements.value(QStringLiteral("polyline")) >= 2);
        const QByteArray pdf = pdfOf(page.loss->picture());
        QVERIFY(pdf.startsWith("%PDF-"));
        QVERIFY(!pdf.contains("/Subtype /Image"));
    }

    void whatIsHiddenOrOutsideTheRangeIsNotWritten() {
        Page page;
        page.group.setVisible(0, false);
        page.group.setXRange({100, 200});
        page.group.setSmoothing(0.9);
        QTRY_VERIFY(page.loss->isUpToDate());
        const ChartPicture picture = page.loss->picture();

        const Drawing drawing(svgOf(picture));
        QVERIFY(!drawing.words.contains(QStringLiteral("replica 0")));
        QVERIFY(drawing.words.contains(QStringLiteral("replica 1")));
        QCOMPARE(picture.smoothed.size(), std::size_t{1});  // the curve over the raw one
        QCOMPARE(strokeCurves(picture.curves, picture.smoothed).curves.size(), std::size_t{2});
        const QList<QByteArrayList> rows = rowsOf(picture);
        QCOMPARE(rows.size(), 1 + 101);
        QCOMPARE(rows[0].join(','), QByteArray("series,step,epoch,seconds,time,value"));
        for (int i = 1; i < rows.size(); ++i) {
            QCOMPARE(rows[i][0], QByteArray("replica 1"));
            QCOMPARE(rows[i][1].toInt(), 99 + i);
            QCOMPARE(rows[i].last().toFloat(), float(99 + i) / 1000 + 0.25F);  // raw
        }
    }

    void epochsAndTimesStandBesideEachPoint() {
        Page page;
        std::vector<double> times;
        for (int i = 0; i < 1000; ++i)
            times.push_back(1.7e9 + i * 0.25);
        for (std::size_t i = 500; i < times.size(); ++i)
            times[i] += 86'400;  // the run was resumed a day later
        page.group.appendTimes(0, 1, times);
        page.group.setStarts(0, {{501, 0}});
        page.group.setStepsPerEpoch(0, 250);
        QTRY_VERIFY(page.loss->isUpToDate());
        const QList<QByteArrayList> rows = rowsOf(page.loss->picture());
        QCOMPARE(rows[5].mid(1, 4).join(' '), QByteArray("5 0.02 1.000 2023-11-14T22:13:21.000Z"));
        QCOMPARE(rows[505].mid(1, 4).join(' '),
                 QByteArray("505 2.02 126.000 2023-11-15T22:15:26.000Z"));
        QCOMPARE(rows[1005].mid(2, 3).join(' '),
                 QByteArray("  "));  // of replica 1 nothing is known
    }

    void namesWithCommasAndQuotesStayOneField() {
        ChartGroup group;
        LiveChart chart(&group);
        chart.resize(600, 300);
        group.setSeries({{QStringLiteral("a \"b\", c"), {}, false, -1}});
        chart.appendPoint(0, 3, 0.1F);
        chart.show();
        QTRY_VERIFY(chart.isUpToDate());
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        QVERIFY(writeChartCsv(chart.picture(), buffer));
        QCOMPARE(buffer.data(), QByteArray("series,step,epoch,seconds,time,value\n"
                                           "\"a \"\"b\"\", c\",3,,,,0.1\n"));
    }

    void aSpikeAmongAMillionPointsIsInTheDrawing() {
        Page page;
        std::vector<float> values(1'000'000, 0.1F);
        values[612'345] = 0.9F;
        page.loss->clear();
        page.loss->appendSteps(0, 1, values);
        QTRY_VERIFY(page.loss->isUpToDate());
        const ChartPicture picture = page.loss->picture();
        const StrokedCurves stroked = strokeCurves(picture.curves, picture.smoothed);
        QCOMPARE(stroked.curves.size(), std::size_t{1});
        QRectF box;
        qsizetype points = 0;
        for (const QPolygonF& line : stroked.curves[0].lines) {
            box |= line.boundingRect();
            points += line.size();
        }
        const auto yOf = [&](double value) {
            return (picture.curves.y.last - value) /
                   (picture.curves.y.last - picture.curves.y.first) * picture.curves.size.height();
        };
        QVERIFY(std::abs(box.top() - yOf(0.9)) < 0.6 && std::abs(box.bottom() - yOf(0.1)) < 0.6);
        QVERIFY2(points < 6000, qPrintable(QString::number(points)));  // and no more than are seen
    }

    void linesEndWhereValuesAreNotFiniteAndAtThePlotsEdges() {
        Page page;
        page.loss->clear();
        std::vector<float> values(40, 0.5F);
        values[20] = std::numeric_limits<float>::quiet_NaN();
        values[30] = 900;
        page.loss->appendSteps(0, 1, values);
        QTRY_VERIFY(page.loss->isUpToDate());
        ChartPicture picture = page.loss->picture();
        picture.curves.y = {0, 1};
        const StrokedCurves stroked = strokeCurves(picture.curves, {});
        // Up to the gap, from there to where it leaves at the top, and on from there.
        QCOMPARE(stroked.curves[0].lines.size(), std::size_t{3});
        QCOMPARE(stroked.holes.size(), std::size_t{1});
        const QRectF plot({-1e-9, -1e-9}, picture.curves.size + QSizeF(1e-6, 1e-6));
        for (const QPolygonF& line : stroked.curves[0].lines)
            QVERIFY(plot.contains(line.boundingRect()) || line.boundingRect().height() < 1e-9);
        QVERIFY(std::abs(stroked.curves[0].lines[1].last().y()) < 1e-6);
        QVERIFY(std::abs(stroked.curves[0].lines[2].first().y()) < 1e-6);
    }

    void everyNumberOfReplicasHasALegendThatFits_data() {
        QTest::addColumn<int>("replicas");
        for (const int count : {1, 2, 16, 64})
            QTest::newRow(qPrintable(QString::number(count))) << count;
    }

    void everyNumberOfReplicasHasALegendThatFits() {
        QFETCH(int, replicas);
        ChartGroup group;
        LiveChart chart(&group);
        chart.resize(900, 320);
        chart.setTitle(QStringLiteral("Loss"));
        QVector<SeriesInfo> series;
        for (int i = 0; i < replicas; ++i)
            series.append({QStringLiteral("Replica %1").arg(i), {}, false, -1});
        series.append({.name = QStringLiteral("Mean"), .colour = {}, .mean = true});
        group.setSeries(series);
        if (replicas > 12) group.setOutstanding(QVector<int>{3, 7});
        for (int i = 0; i <= replicas; ++i)
            chart.appendSteps(i, 1, std::vector<float>(200, float(i)));
        chart.show();
        QTRY_VERIFY(chart.isUpToDate());
        const ChartPicture picture = chart.picture();
        QCOMPARE(picture.legend.size(), replicas > 12 ? 4 : replicas + 1);
        if (replicas > 12)
            QCOMPARE(picture.legend.last().text, QStringLiteral("%1 others").arg(replicas - 2));

        const QImage image = imageOf(picture);
        if (const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES"); !folder.isEmpty()) {
            for (const char* ending : {"png", "svg", "pdf"})
                QVERIFY(saveChart(picture, QStringLiteral("%1/chart-%2.%3")
                                               .arg(folder)
                                               .arg(replicas)
                                               .arg(QLatin1String(ending))));
        }
        QCOMPARE(image.size(), (picture.size() * 2).toSize());
        QCOMPARE(image.pixelColor(0, 0), QColor(Qt::white));  // whatever the theme
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                colours.insert(image.pixel(x, y));
        for (const ChartPicture::Name& name : picture.legend)
            QVERIFY2(colours.contains(name.colour.rgb()), qPrintable(name.text));
    }

    void theEndingOfTheNameSaysWhatIsWritten() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        QTemporaryDir folder;
        for (const auto& [ending, begin] :
             {std::pair("png", "\x89PNG"), std::pair("svg", "<?xml"), std::pair("PDF", "%PDF-"),
              std::pair("csv", "series,")}) {
            const QString path = folder.filePath(QStringLiteral("loss.") + QLatin1String(ending));
            const Result<void> saved = saveChart(page.loss->picture(), path);
            QVERIFY2(saved, saved ? "" : saved.error().message.c_str());
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(file.readAll().startsWith(begin), ending);
        }
        const Result<void> refused =
            saveChart(page.loss->picture(), folder.filePath(QStringLiteral("loss.bmp")));
        QVERIFY(!refused && refused.error().code == ErrorCode::BadInput);
        QVERIFY(QString::fromStdString(refused.error().message).contains(QStringLiteral(".svg")));
    }

    void whatCannotBeWrittenIsSaidAndLeavesNothing_data() {
        QTest::addColumn<QString>("ending");
        for (const char* ending : {"png", "svg", "pdf", "csv"})
            QTest::newRow(ending) << QString::fromLatin1(ending);
    }

    void whatCannotBeWrittenIsSaidAndLeavesNothing() {
        QFETCH(QString, ending);
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        QTemporaryDir folder;
        const QString nowhere = folder.filePath(QStringLiteral("gone/loss.") + ending);
        const Result<void> missed = saveChart(page.loss->picture(), nowhere);
        QVERIFY(!missed && missed.error().code == ErrorCode::Io);
        QVERIFY(QString::fromStdString(missed.error().message).contains(nowhere));

        const QString path = folder.filePath(QStringLiteral("loss.") + ending);
        {
            const SmallDisk disk(4096);
            const Result<void> full = saveChart(page.loss->picture(), path);
            QVERIFY(!full && full.error().code == ErrorCode::Io);
        }
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void whatCannotBePaintedIsSaidAndLeavesTheFileThatWasThere() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("loss.png"));
        QFile former(path);
        QVERIFY(former.open(QIODevice::WriteOnly) && former.write("a picture") > 0);
        former.close();
        ChartPicture picture = page.loss->picture();
        picture.curves.size.setWidth(1e8);  // no image has as many columns
        const Result<void> saved = saveChart(picture, path);
        QVERIFY(!saved);
        QVERIFY2(QString::fromStdString(saved.error().message)
                     .contains(QStringLiteral("cannot be painted")),
                 saved.error().message.c_str());
        QVERIFY(former.open(QIODevice::ReadOnly));
        QCOMPARE(former.readAll(), QByteArray("a picture"));
    }
};

QTEST_MAIN(TestChartFiles)
#include "tst_chart_files.moc"
