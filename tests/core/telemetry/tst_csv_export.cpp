// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "core/telemetry/csv_export.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {

std::vector<wire::Record> smallRun() {
    std::vector<wire::Record> records(5);
    wire::ReplicaInfo& replica = *records[0].mutable_replica_info();
    replica.set_process_id(7);
    replica.set_replica(2);
    wire::StepBatch& batch = *records[1].mutable_steps();
    batch.set_replica(2);
    batch.set_first_step(11);
    batch.set_first_end_wall_time(1700000000.5);
    for (const float value : {0.5F, 0.1F}) {
        batch.add_loss(value);
        batch.add_accuracy(1 - value);
        batch.add_step_us(2000);
    }
    records[2].mutable_heartbeat()->set_process_id(7);  // has no numbers for the file
    records[3].set_wall_time(1700000001.25);
    wire::EpochResult& epoch = *records[3].mutable_epoch();
    epoch.set_step(12);
    epoch.set_train_loss(0.3);
    epoch.set_train_accuracy(0.9);
    epoch.set_has_validation(true);
    epoch.set_validation_loss(0.4);
    epoch.set_validation_accuracy(0.8);
    records[4].set_wall_time(1700000002);
    wire::Evaluation& evaluation = *records[4].mutable_evaluation();
    evaluation.set_step(12);
    evaluation.set_split("validation");
    evaluation.set_loss(0.25);
    evaluation.set_accuracy(0.75);
    return records;
}

constexpr const char* kGolden =
    "wall_time,step,process_id,replica,tag,value\n"
    "1700000000.500000,11,7,2,train/loss,0.5\n"
    "1700000000.500000,11,7,2,train/accuracy,0.5\n"
    "1700000000.500000,11,7,2,time/step_ms,2\n"
    "1700000000.502000,12,7,2,train/loss,0.100000001\n"
    "1700000000.502000,12,7,2,train/accuracy,0.899999976\n"
    "1700000000.502000,12,7,2,time/step_ms,2\n"
    "1700000001.250000,12,0,,train/loss,0.3\n"
    "1700000001.250000,12,0,,train/accuracy,0.9\n"
    "1700000001.250000,12,0,,validation/loss,0.4\n"
    "1700000001.250000,12,0,,validation/accuracy,0.8\n"
    "1700000002.000000,12,,,evaluator/loss,0.25\n"
    "1700000002.000000,12,,,evaluator/accuracy,0.75\n";

}  // namespace

class CsvExportTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::filesystem::path path_;

private slots:
    void init() {
        path_ = folder_.filePath("journal").toStdString();
        std::filesystem::remove(path_);
    }

    void aSmallRunLooksLikeThis() {
        {
            const auto writer = JournalWriter::open(path_).value();
            for (const wire::Record& record : smallRun())
                QVERIFY(writer->append(wire::encode(record).value()).has_value());
        }
        std::string csv;
        const auto exported = exportCsv(path_, [&](std::string_view lines) -> Result<void> {
            csv += lines;
            return {};
        });
        QVERIFY(exported.has_value());
        QCOMPARE(csv, std::string(kGolden));
    }

    void stepsThatWereTrainedAgainAreWrittenAsTheyWereTrainedLast() {
        const auto step = [](std::uint64_t number, float loss) {
            wire::Record record;
            wire::StepBatch& batch = *record.mutable_steps();
            batch.set_first_step(number);
            for (auto* column :
                 {batch.mutable_loss(), batch.mutable_accuracy(), batch.mutable_step_us()})
                column->Add(loss);
            return record;
        };
        wire::Record resume;
        resume.mutable_run_info()->set_first_step(10);
        {
            const auto writer = JournalWriter::open(path_).value();
            for (const wire::Record& record :
                 {step(10, 1), step(11, 2), step(12, 3), resume, step(11, 4)})
                QVERIFY(writer->append(wire::encode(record).value()).has_value());
        }
        QStringList losses;
        const auto exported = exportCsv(path_, [&](std::string_view lines) -> Result<void> {
            for (const QString& line :
                 QString::fromUtf8(lines.data(), int(lines.size())).split('\n'))
                if (line.contains("train/loss"))
                    losses += line.section(',', 1, 1) + ' ' + line.section(',', 5);
            return {};
        });
        QVERIFY(exported.has_value());
        QCOMPARE(losses, (QStringList{"10 1", "11 4"}));
    }

    void theFirstFailureOfTheWriterEndsIt() {
        {
            const auto writer = JournalWriter::open(path_).value();
            QVERIFY(writer->append(wire::encode(smallRun()[1]).value()).has_value());
        }
        int calls = 0;
        const auto exported = exportCsv(path_, [&](std::string_view) -> Result<void> {
            ++calls;
            return fail(ErrorCode::Io, "no space left on device");
        });
        QCOMPARE(exported.error().message, std::string("no space left on device"));
        QCOMPARE(calls, 1);
    }

    void aMissingJournalIsNotFound() {
        const auto exported = exportCsv(path_, [](std::string_view) -> Result<void> { return {}; });
        QCOMPARE(exported.error().code, ErrorCode::NotFound);
    }
};

QTEST_GUILESS_MAIN(CsvExportTest)
#include "tst_csv_export.moc"
