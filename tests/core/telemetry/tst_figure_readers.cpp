// SPDX-License-Identifier: Apache-2.0
// What programs of others write about their training: TensorBoard event files and CSV logs.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/telemetry/csv_reader.h"
#include "core/telemetry/event_file.h"
#include "core/telemetry/event_reader.h"

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {

/// What TensorBoard's own writer made: tests/golden/event_file.py.
std::string goldenFile() {
    QFile file(LOCKSTEP_SOURCE_DIR "/tests/golden/event_file.txt");
    if (!file.open(QIODevice::ReadOnly)) qFatal("no golden file");
    QByteArray digits;
    for (const QByteArray& line : file.readAll().split('\n'))
        if (!line.startsWith('#')) digits += line;
    return QByteArray::fromHex(digits).toStdString();
}

QString words(const EventScalar& scalar) {
    return QString("%1@%2=%3 %4")
        .arg(QString::fromStdString(scalar.tag))
        .arg(scalar.step)
        .arg(scalar.value)
        .arg(scalar.wallTime, 0, 'f', 2);
}

struct Read {
    QStringList scalars;
    Result<void> result;
};

Read readEvents(std::string_view bytes, std::size_t piece) {
    Read read;
    EventReader reader;
    for (std::size_t at = 0; at < bytes.size() && read.result; at += piece)
        read.result = reader.feed(bytes.substr(at, piece), [&](const EventScalar& scalar) {
            read.scalars << words(scalar);
        });
    return read;
}

/// Feeds a log and collects "name@step=value".
struct Log {
    CsvReader reader;
    QStringList figures;
    Result<void> feed(std::string_view bytes) {
        return reader.feed(bytes, [this](const CsvFigure& figure) {
            figures << QString("%1@%2=%3")
                           .arg(
                               QString::fromUtf8(figure.name.data(), qsizetype(figure.name.size())))
                           .arg(figure.step)
                           .arg(figure.value);
        });
    }
    [[nodiscard]] QString all() const { return figures.join(' '); }
};

}  // namespace

class FigureReadersTest : public QObject {
    Q_OBJECT
private slots:
    void theScalarsOfTensorBoardsOwnWriterAreRead() {
        const std::string bytes = goldenFile();
        const QStringList expected{
            "loss/train@3=0.625 1790000001.25", "f32 content@4=0.25 1790000002.00",
            "f32@4=1.5 1790000002.00",          "f64@4=-2.5 1790000002.00",
            "i32@4=-7 1790000002.00",           "i64@4=1.09951e+12 1790000002.00",
            "half@4=0.5 1790000002.00",         "one of one@4=8 1790000002.00"};
        for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
            const Read read = readEvents(bytes, piece);
            QVERIFY(read.result);
            QCOMPARE(read.scalars, expected);
        }
    }
    void whatLockstepWritesItReads() {
        const QTemporaryDir temporary;
        EventFile file(temporary.path().toStdString(), 1000);
        file.addScalar({1000.5, 7, 0, 0, "train/loss", 0.25});
        file.addRestart(5, 1001);
        file.addScalar({1001.5, 5, 0, 0, "train/loss", 0.5});
        QVERIFY(file.flush());
        const QString name = QDir(temporary.path()).entryList(QDir::Files).value(0);
        const std::string bytes = readFile(temporary.filePath(name).toStdString(), 1 << 20).value();
        QCOMPARE(readEvents(bytes, 5).scalars,
                 (QStringList{"train/loss@7=0.25 1000.50", "train/loss@5=0.5 1001.50"}));
    }
    void aRecordThatIsCutWaitsForItsEnd() {
        const std::string bytes = goldenFile();
        const Read read = readEvents(std::string_view(bytes).substr(0, bytes.size() - 1), 64);
        QVERIFY(read.result);
        QCOMPARE(read.scalars.size(), 1);
    }
    void aDamagedRecordIsSaidAndNothingBehindItIsRead() {
        for (std::size_t at = 0; at < goldenFile().size(); ++at) {
            std::string bytes = goldenFile();
            bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
            const Read read = readEvents(bytes, 100);
            QVERIFY(!read.result);
            QCOMPARE(read.result.error().code, ErrorCode::Corrupt);
            QVERIFY(read.scalars.size() <= 1);
        }
    }
    void aLogOfKerasIsRead() {
        Log log;
        QVERIFY(log.feed("epoch,accuracy,loss,val_loss\n0,0.5,1.25,1.5\n1,0."));
        QCOMPARE(log.all(), QString("accuracy@0=0.5 loss@0=1.25 val_loss@0=1.5"));
        QVERIFY(log.feed("75,0.625,NA\n"));
        QCOMPARE(log.all(), QString("accuracy@0=0.5 loss@0=1.25 val_loss@0=1.5 "
                                    "accuracy@1=0.75 loss@1=0.625"));
    }
    void aLogOfLightningIsReadThoughItIsWrittenAnewWithMoreColumns() {
        Log log;
        QVERIFY(log.feed("epoch,step,train_loss\n0,9,1.5\n0,19,1.25\n"));
        log.reader.beginAnew();
        QVERIFY(log.feed("epoch,step,train_loss,val_loss\n0,9,1.5,\n0,19,1.25,\n0,19,,2\n"));
        QCOMPARE(log.all(), QString("train_loss@9=1.5 train_loss@19=1.25 val_loss@19=2"));
    }
    void separatorsQuotationMarksAndLineEndsOfOthersAreUnderstood() {
        Log log;
        QVERIFY(
            log.feed("Iteration;\"loss; mean\";note\r\n\r\n10;+0.5;\"a;b\"\r\n20;nan;x;extra\r\n"
                     "x;1;2\r\n-1;1;2\r\n30;1e-3\r\n"));
        QCOMPARE(log.all(), QString("loss; mean@10=0.5 loss; mean@30=0.001"));
    }
    void rowsWithoutFiguresAreCountedAndTheFirstIsNamed() {
        Log log;
        QVERIFY(log.feed("epoch,loss\r\n0,1\r\n\r\n1,2,3\r\n2,4\r\nx,5\r\n-1,6\r\n,7\r\n"));
        QCOMPARE(log.all(), QString("loss@0=1 loss@2=4"));
        QCOMPARE(log.reader.skipped().count, std::uint64_t{4});
        QCOMPARE(log.reader.skipped().firstLine, std::uint64_t{4});
        QCOMPARE(log.reader.skipped().firstWhy, std::string("it has 3 cells, the header 2"));
        log.reader.beginAnew();
        QVERIFY(log.feed("epoch,loss\n0,1\n1,2,3\n2,4\nx,5\n-1,6\n,7\n3,8\n"));
        QCOMPARE(log.reader.skipped().count, std::uint64_t{4});  // those that were counted before
        QVERIFY(log.all().endsWith("loss@3=8"));
        log.reader.forgetSkipped();
        QVERIFY(log.feed("no number,1\n"));
        QCOMPARE(log.reader.skipped().firstLine, std::uint64_t{9});
        QCOMPARE(log.reader.skipped().firstWhy,
                 std::string("its \"epoch\" is no number of a step"));
    }
    void aHeaderFurtherOnCountsFromThere() {
        Log log;
        QVERIFY(log.feed("epoch,loss\n0,1\nepoch,loss\n1,2\nscore,epoch,loss\n7,2,3\n"));
        QCOMPARE(log.all(), QString("loss@0=1 loss@1=2 score@2=7 loss@2=3"));
        log.reader.beginAnew();
        QVERIFY(log.feed("epoch,loss\n0,1\nepoch,loss\n1,2\nscore,epoch,loss\n7,2,3\n8,3,4\n"));
        QVERIFY(log.all().endsWith(" loss@2=3 score@3=8 loss@3=4"));
        QCOMPARE(log.reader.skipped().count, std::uint64_t{0});
    }
    void aLineOfALogThatIsTooLongIsLeftOutAndTheNextIsRead() {
        Log log;
        const std::string_view beginning("step,loss\n1,2\n2,");
        const std::string noise(70'000, 'x');
        QVERIFY(log.feed(beginning));
        for (int piece = 0; piece < 3; ++piece)
            QVERIFY(log.feed(noise));
        QVERIFY(log.feed("\n3,4\n"));
        QCOMPARE(log.all(), QString("loss@1=2 loss@3=4"));
        QCOMPARE(log.reader.skipped().count, std::uint64_t{1});
        QCOMPARE(log.reader.skipped().firstLine, std::uint64_t{3});
        QCOMPARE(log.reader.skipped().firstWhy, std::string("it is longer than 65536 bytes"));
    }
    void whatIsNoLogIsRefused_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("a text") << QByteArray("started at 12:00, epoch 1\n");
        QTest::newRow("data without a header") << QByteArray("1,2,3\n4,5,6\n");
        QTest::newRow("no column of steps") << QByteArray("name,score\nx,1\n");
        QTest::newRow("a column twice") << QByteArray("step,loss,loss\n1,2,3\n");
        QTest::newRow("a line without end") << QByteArray(100'000, 'x');
    }
    void whatIsNoLogIsRefused() {
        QFETCH(QByteArray, bytes);
        Log log;
        const auto result = log.feed(bytes.toStdString());
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::BadInput);
        QVERIFY(log.figures.isEmpty());
    }
};

QTEST_GUILESS_MAIN(FigureReadersTest)
#include "tst_figure_readers.moc"
