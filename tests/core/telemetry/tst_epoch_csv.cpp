// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>

#include "core/base/file.h"
#include "core/telemetry/epoch_csv.h"

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {

const QByteArray kHeader =
    "epoch,step,train_loss,train_accuracy,validation_loss,validation_accuracy,seconds\n";

wire::Record epoch(std::uint32_t number, double loss, bool validated = true) {
    wire::Record record;
    wire::EpochResult& result = *record.mutable_epoch();
    result.set_epoch(number);
    result.set_step(number * 100);
    result.set_train_loss(loss);
    result.set_train_accuracy(0.5);
    result.set_has_validation(validated);
    result.set_validation_loss(0.25);
    result.set_validation_accuracy(0.75);
    result.set_seconds(1.5);
    return record;
}

wire::Record startAt(std::uint64_t step) {
    wire::Record record;
    record.mutable_run_info()->set_first_step(step);
    return record;
}

}  // namespace

class EpochCsvTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    std::filesystem::path path_;

    QByteArray content() const {
        return QByteArray::fromStdString(readFile(path_, 1 << 20).value_or("absent"));
    }
    void feed(const std::vector<wire::Record>& records) {
        EpochCsv csv(path_);
        for (const wire::Record& record : records)
            if (auto done = csv.apply(record); !done) qFatal("%s", done.error().message.c_str());
    }

private slots:
    void metricsHaveColumnsBehindTheOthers() {
        const auto with = [](std::uint32_t number, const char* name, double value) {
            wire::Record record = epoch(number, 0.5);
            record.mutable_epoch()->set_train_accuracy(std::nan(""));
            wire::NamedFigure& figure = *record.mutable_epoch()->add_validation_figures();
            figure.set_name(name);
            figure.set_value(value);
            return record;
        };
        feed({startAt(0), with(1, "auc", 0.75), with(2, "auc", 0.875)});
        const QByteArray header = kHeader.chopped(1) + ",validation_auc";
        const QByteArray lines = header +
                                 "\n1,100,0.5,,0.25,0.75,1.500,0.75\n"
                                 "2,200,0.5,,0.25,0.75,1.500,0.875\n";
        QCOMPARE(content(), lines);
        // Goes on from epoch 1 and measures something else besides.
        feed({startAt(100), with(2, "recall", 0.5)});
        QCOMPARE(content(), header +
                                ",validation_recall\n1,100,0.5,,0.25,0.75,1.500,0.75,\n"
                                "2,200,0.5,,0.25,0.75,1.500,,0.5\n");
        feed({startAt(200), epoch(3, 1)});
        QVERIFY(content().endsWith("\n3,300,1,0.5,0.25,0.75,1.500,,\n"));
    }
    void init() {
        temporary_ = std::make_unique<QTemporaryDir>();
        path_ = temporary_->filePath("epochs.csv").toStdString();
    }
    void everyEpochIsALine() {
        feed({startAt(0), epoch(1, 0.5), epoch(2, 0.125)});
        QCOMPARE(content(), kHeader +
                                "1,100,0.5,0.5,0.25,0.75,1.500\n"
                                "2,200,0.125,0.5,0.25,0.75,1.500\n");
    }
    void withoutValidationItsCellsAreEmpty() {
        feed({startAt(0), epoch(1, 0.5, false)});
        QCOMPARE(content(), kHeader + "1,100,0.5,0.5,,,1.500\n");
    }
    void aResumeTakesBackTheEpochsThatAreTrainedAgain() {
        feed({startAt(0), epoch(1, 0.5), epoch(2, 0.4), epoch(3, 0.3)});
        feed({startAt(150), epoch(2, 0.25), epoch(3, 0.125)});
        QCOMPARE(content(), kHeader +
                                "1,100,0.5,0.5,0.25,0.75,1.500\n"
                                "2,200,0.25,0.5,0.25,0.75,1.500\n"
                                "3,300,0.125,0.5,0.25,0.75,1.500\n");
        feed({startAt(300)});
        QCOMPARE(content().count('\n'), 4);
    }
    void anEpochThatARunEndedWithinIsToldOnceWhenItIsWhole() {
        wire::Record cut = epoch(2, 0.4);
        cut.mutable_epoch()->set_step(150);  // training.steps = 150
        feed({startAt(0), epoch(1, 0.5), cut});
        QVERIFY(content().contains("\n2,150,"));
        feed({startAt(150), epoch(2, 0.25), epoch(3, 0.125)});
        QCOMPARE(content(), kHeader +
                                "1,100,0.5,0.5,0.25,0.75,1.500\n"
                                "2,200,0.25,0.5,0.25,0.75,1.500\n"
                                "3,300,0.125,0.5,0.25,0.75,1.500\n");
    }
    void aLineThatACrashCutShortIsTakenBack() {
        feed({startAt(0), epoch(1, 0.5)});
        std::ofstream(path_, std::ios::app) << "2,200,0.4";
        feed({startAt(100), epoch(2, 0.25)});
        QCOMPARE(content(), kHeader +
                                "1,100,0.5,0.5,0.25,0.75,1.500\n"
                                "2,200,0.25,0.5,0.25,0.75,1.500\n");
    }
    void aResumeThatChangesNothingWritesNothing() {
        feed({startAt(0), epoch(1, 0.5)});
        // Dated back, so that any write at all would show.
        std::filesystem::last_write_time(
            path_, std::filesystem::last_write_time(path_) - std::chrono::hours(1));
        const auto before = std::filesystem::last_write_time(path_);
        feed({startAt(100)});
        QVERIFY(std::filesystem::last_write_time(path_) == before);
    }
    void aFileThatSomebodyChangedMeanwhileIsTakenOver() {
        EpochCsv csv(path_);
        QVERIFY(csv.apply(startAt(0)).has_value());
        QVERIFY(csv.apply(epoch(1, 0.5)).has_value());
        std::ofstream(path_, std::ios::app) << "a note of somebody's";
        QVERIFY(csv.apply(epoch(2, 0.25)).has_value());
        QCOMPARE(content(), kHeader +
                                "1,100,0.5,0.5,0.25,0.75,1.500\n"
                                "2,200,0.25,0.5,0.25,0.75,1.500\n");
        std::filesystem::remove(path_);
        QVERIFY(csv.apply(epoch(3, 0.125)).has_value());
        QCOMPARE(content(), kHeader + "3,300,0.125,0.5,0.25,0.75,1.500\n");
    }
    void whatCouldNotBeWrittenIsWrittenLater() {
        std::filesystem::create_directories(path_);
        EpochCsv csv(path_);
        QVERIFY(!csv.apply(epoch(1, 0.5)));
        QVERIFY(!csv.apply(epoch(2, 0.25)));
        std::filesystem::remove(path_);
        QVERIFY(csv.flush().has_value());
        QCOMPARE(content().count('\n'), 3);
    }
    void aFileThatCannotBeWrittenIsAnErrorThatNamesIt() {
        std::filesystem::create_directories(path_);
        EpochCsv csv(path_);
        const auto done = csv.apply(epoch(1, 0.5));
        QVERIFY(!done);
        QVERIFY(done.error().message.find("epochs.csv") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(EpochCsvTest)
#include "tst_epoch_csv.moc"
