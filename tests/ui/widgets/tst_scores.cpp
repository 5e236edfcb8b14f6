// SPDX-License-Identifier: GPL-3.0-or-later
// What shows how well a network answers: many classes, values, samples.
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QtTest>

#include "ui/style/theme.h"
#include "ui/widgets/augmented_samples.h"
#include "ui/widgets/class_bars.h"
#include "ui/widgets/confused_pairs.h"
#include "ui/widgets/confusion_matrix.h"

using namespace lockstep::ui;

namespace {

constexpr int kThousand = 1000;

/// Right answers alone, but for a few mistakes.
ConfusionCounts thousandClasses() {
    QVector<quint32> counts(kThousand * kThousand, 0);
    for (int i = 0; i < kThousand; ++i)
        counts[i * kThousand + i] = 50;
    counts[3 * kThousand + 900] = 7;
    counts[500 * kThousand + 2] = 20;
    counts[501 * kThousand + 2] = 1;
    return {kThousand, counts};
}

QStringList names(int classes) {
    QStringList all;
    for (int i = 0; i < classes; ++i)
        all << QStringLiteral("class %1").arg(i);
    return all;
}

/// A matrix of so many classes, shown.
struct Shown {
    ConfusionMatrix matrix;

    explicit Shown(int classes) {
        QVector<quint32> counts(classes * classes, 0);
        for (int i = 0; i < classes; ++i)
            counts[i * classes + i] = 9;
        matrix.setCounts(names(classes), counts);
        matrix.resize(460, 480);
        matrix.show();
    }
};

}  // namespace

class ScoresTest : public QObject {
    Q_OBJECT
private slots:
    void theMostConfusedPairsComeWorstFirst() {
        const auto pairs = mostConfused(thousandClasses(), 2);
        QCOMPARE(pairs.size(), std::size_t{2});
        QCOMPARE(pairs[0].truth, 500);
        QCOMPARE(pairs[0].prediction, 2);
        QCOMPARE(pairs[0].share, 20.0 / 70);
        QCOMPARE(pairs[1].count, 7U);
        QCOMPARE(mostConfused(thousandClasses(), 9).size(), std::size_t{3});

        ConfusedPairs list;
        list.setPairs(names(kThousand), pairs);
        QSignalSpy chosen(&list, &ConfusedPairs::pairChosen);
        QVERIFY(list.item(0)->text().startsWith(QStringLiteral("20 × class 500 → class 2")));
        Q_EMIT list.itemActivated(list.item(1));
        QCOMPARE(chosen.value(0), (QVariantList{3, 900}));
    }
    void oneMistakeAmongAMillionCellsIsSeen() {
        const Theme& theme = Theme::light();
        const QImage picture =
            confusionPicture(thousandClasses(), {0, 0, kThousand, kThousand}, {250, 250}, theme);
        const QColor ground = confusionColour(theme, 0, false);
        QCOMPARE(picture.pixelColor(100, 40), ground);
        QCOMPARE(picture.pixelColor(225, 0), confusionColour(theme, 7.0 / 57, false));
        QCOMPARE(picture.pixelColor(0, 125), confusionColour(theme, 20.0 / 70, false));
        // Enlarged, a cell has its own place.
        const QImage part = confusionPicture(thousandClasses(), {898, 2, 4, 4}, {40, 40}, theme);
        QCOMPARE(part.pixelColor(25, 15), confusionColour(theme, 7.0 / 57, false));
        QCOMPARE(part.pixelColor(35, 15), ground);
    }
    void aThousandClassesArePaintedAtOnce() {
        Shown shown(kThousand);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!shown.matrix.grab().isNull());
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }
    void countsThatAreTooSmallToReadAreLeftToTheColour() {
        int shown = 0;
        int left = 0;
        for (int side = 180; side < 560; side += 20) {
            ConfusionMatrix matrix;
            QVector<quint32> counts(100, 0);
            for (int i = 0; i < 10; ++i)
                counts[i * 10 + i] = 88888;
            matrix.setCounts(names(10), counts);
            matrix.resize(side, side);
            const QImage picture = matrix.grab().toImage();
            const QColor ground = confusionColour(Theme::of(&matrix), 1, true);
            QRect cells;  // of the diagonal: the first one lies at the left and the top
            for (int y = 0; y < side && cells.isNull(); ++y)
                for (int x = 0; x < side && cells.isNull(); ++x)
                    if (picture.pixelColor(x, y) == ground) cells = {x, y, 1, 1};
            int end = cells.x();
            while (end < side && picture.pixelColor(end, cells.y()) == ground)
                ++end;
            QSet<int> inked;
            for (int y = cells.y() + 2; y < cells.y() + end - cells.x() - 2; ++y)
                for (int x = cells.x() + 2; x < end - 2; ++x)
                    if (picture.pixelColor(x, y) != ground) inked.insert(y);
            QVERIFY2(inked.isEmpty() || inked.size() >= 7,
                     qPrintable(QStringLiteral("%1: %2 rows").arg(side).arg(inked.size())));
            ++(inked.isEmpty() ? left : shown);
        }
        QVERIFY(shown > 0 && left > 0);
    }
    void theMatrixZoomsAndAllCellsAreReached_data() {
        QTest::addColumn<int>("classes");
        for (const int classes : {10, 100, kThousand})
            QTest::addRow("%d classes", classes) << classes;
    }
    void theMatrixZoomsAndAllCellsAreReached() {
        QFETCH(const int, classes);
        Shown shown(classes);
        ConfusionMatrix& matrix = shown.matrix;
        QCOMPARE(matrix.zoom(), 1.0);
        QTest::keyClick(&matrix, Qt::Key_Minus);
        QCOMPARE(matrix.zoom(), 1.0);
        const int last = classes - 1;
        matrix.reveal(last, last);
        QVERIFY2(matrix.readout().startsWith(QStringLiteral("class %1 recognised: 9").arg(last)),
                 qPrintable(matrix.readout()));
        if (classes > 20) QVERIFY(matrix.zoom() > 1);
        QTest::keyClick(&matrix, Qt::Key_Left);
        QVERIFY2(matrix.readout().startsWith(
                     QStringLiteral("class %1 taken for class %2").arg(last).arg(last - 1)),
                 qPrintable(matrix.readout()));
        // What is under the pointer is what was revealed.
        QSignalSpy chosen(&matrix, &ConfusionMatrix::cellActivated);
        QTest::keyClick(&matrix, Qt::Key_Return);
        QCOMPARE(chosen.value(0), (QVariantList{last, last - 1}));
        QTest::keyClick(&matrix, Qt::Key_0);
        QCOMPARE(matrix.zoom(), 1.0);
        QVERIFY(!matrix.grab().isNull());
    }
    void shortNamesOfClassesStandWholeBeforeTheirBars() {
        QStringList names;
        for (int i = 0; i < 100; ++i)
            names << QString::number(i);
        ClassBars bars;
        bars.resize(bars.minimumSizeHint());
        for (const QString& name : names) {
            bars.setValues({name}, {0.5F});
            QCOMPARE(bars.shownName(0), name);
        }
        bars.setValues({QString(80, QLatin1Char('w'))}, {0.5F});
        QVERIFY(bars.shownName(0).endsWith(QStringLiteral("…")));
    }
    void augmentedVersionsStandBesideTheirSample() {
        QImage image(8, 8, QImage::Format_Grayscale8);
        image.fill(128);
        AugmentedSamples grid;
        grid.setSamples({{QStringLiteral("seven"), image, {{image, {}}, {image, {}}}},
                         {QStringLiteral("two"), image, {{image, {}}}}});
        grid.resize(grid.sizeHint());
        QCOMPARE(grid.shown(), QSize(3, 2));
        grid.resize(grid.minimumSizeHint());
        QCOMPARE(grid.shown(), QSize(2, 2));
        QVERIFY(grid.accessibleDescription().contains(QStringLiteral("seven, two")));
    }
};

QTEST_MAIN(ScoresTest)
#include "tst_scores.moc"
