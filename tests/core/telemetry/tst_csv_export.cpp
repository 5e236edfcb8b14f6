// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <bit>
#include <cmath>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "core/telemetry/csv_export.h"
#include "core/telemetry/journal.h"
#include "core/telemetry/nine_digits.h"
#include "core/telemetry/scalar_recorder.h"
#include "core/telemetry/scalars.h"
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
        batch.add_data_us(100);
        batch.add_forward_us(200);
        batch.add_backward_us(400);
        batch.add_all_reduce_us(800);
        batch.add_update_us(500.5F);
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
    "1700000000.500000,11,7,2,time/data_ms,0.1\n"
    "1700000000.500000,11,7,2,time/forward_ms,0.2\n"
    "1700000000.500000,11,7,2,time/backward_ms,0.4\n"
    "1700000000.500000,11,7,2,time/all_reduce_ms,0.8\n"
    "1700000000.500000,11,7,2,time/update_ms,0.5005\n"
    "1700000000.502000,12,7,2,train/loss,0.100000001\n"
    "1700000000.502000,12,7,2,train/accuracy,0.899999976\n"
    "1700000000.502000,12,7,2,time/step_ms,2\n"
    "1700000000.502000,12,7,2,time/data_ms,0.1\n"
    "1700000000.502000,12,7,2,time/forward_ms,0.2\n"
    "1700000000.502000,12,7,2,time/backward_ms,0.4\n"
    "1700000000.502000,12,7,2,time/all_reduce_ms,0.8\n"
    "1700000000.502000,12,7,2,time/update_ms,0.5005\n"
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

    /// All lines of a journal of these records.
    QString csvOf(const std::vector<wire::Record>& records) {
        {
            const auto writer = JournalWriter::open(path_).value();
            for (const wire::Record& record : records)
                if (!writer->append(wire::encode(record).value())) return {};
        }
        QString csv;
        const auto exported = exportCsv(path_, [&](std::string_view lines) -> Result<void> {
            csv += QString::fromUtf8(lines.data(), int(lines.size()));
            return {};
        });
        return exported ? csv : QString();
    }

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

    void aStepWithoutSamplesHasItsTimeAndNoScore() {
        auto records = smallRun();
        wire::StepBatch& batch = *records[1].mutable_steps();
        batch.set_loss(1, std::numeric_limits<float>::quiet_NaN());
        batch.set_accuracy(1, std::numeric_limits<float>::quiet_NaN());
        batch.add_without_samples(1);
        ScalarExpander expander;
        std::vector<Scalar> scalars;
        for (const wire::Record& record : records)
            expander.expand(record, scalars);
        int times = 0;
        for (const Scalar& scalar : scalars) {
            QVERIFY(std::isfinite(scalar.value));
            if (scalar.step != 12 || scalar.replica != 2) continue;
            ++times;
            QVERIFY(scalar.tag.starts_with("time/"));
        }
        QCOMPARE(times, 6);  // of the step and of its five phases
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

    void ofADamagedJournalWhatCanBeReadIsWritten() {
        std::uint64_t damagedAt = 0;
        {
            const auto writer = JournalWriter::open(path_).value();
            for (const wire::Record& record : smallRun()) {
                QVERIFY(writer->append(wire::encode(record).value()).has_value());
                QVERIFY(writer->sync().has_value());
                if (record.has_steps()) damagedAt = writer->end();  // the heartbeat's length
            }
        }
        std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(damagedAt) + 1);
        file.put('\x40');
        file.close();
        std::string csv;
        const auto exported = exportCsv(path_, [&](std::string_view lines) -> Result<void> {
            csv += lines;
            return {};
        });
        QVERIFY(exported.has_value());
        QCOMPARE(csv, std::string(kGolden));
        QCOMPARE(exported->damage.places, 1U);
        QCOMPARE(exported->damage.first, damagedAt);
    }

    void aProgramThatKnowsNoPhasesHasNoLinesOfThem() {
        wire::Record record = smallRun()[1];
        for (auto* column : {record.mutable_steps()->mutable_data_us(),
                             record.mutable_steps()->mutable_forward_us(),
                             record.mutable_steps()->mutable_backward_us(),
                             record.mutable_steps()->mutable_all_reduce_us(),
                             record.mutable_steps()->mutable_update_us()})
            for (float& time : *column)
                time = 0;
        std::vector<Scalar> scalars;
        ScalarExpander().expand(record, scalars);
        QCOMPARE(scalars.size(), std::size_t{6});
    }

    void numbersHaveNineDigitsAsPrintfWritesThem() {
        std::mt19937_64 random(1);
        const auto check = [](double value) {
            std::string text;
            appendNineDigits(value, text);
            QCOMPARE(text, fmt::format("{:.9g}", value));
        };
        for (const double value : {0.0, -0.0, 1.0, 10.0, 0.5, 999999999.0, 999999999.5, 99999999.95,
                                   1e-4, 1.5e-5, 123456789.0, 1e8, 1e9, -2.5, 1e300})
            check(value);
        for (int i = 0; i < 300'000; ++i) {
            const std::uint64_t bits = random();
            check(double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))});
            check(1e-3 *
                  double{static_cast<float>(static_cast<double>(bits % 100'000'000) * 1e-3)});
            check(double{static_cast<float>(bits >> 11) * 0x1p-53F});
        }
    }

    void namedFiguresAreRowsUnderTheirNames() {
        std::vector<wire::Record> records{smallRun()[0]};
        ScalarRecorder ofReplica(wire::ROLE_WORKER, 2);
        ScalarRecorder ofJob(wire::ROLE_WORKER, kWholeJob);
        QCOMPARE(ofReplica.add("train/f1", 11, 1700000000.5, 0.25), ScalarRecorder::Added::Yes);
        QCOMPARE(ofReplica.add("a \"b\", c", 11, 1700000000.5, 3, "ms"),
                 ScalarRecorder::Added::Yes);
        QCOMPARE(ofReplica.add("train/f1", 12, 1700000000.75, 12345678901.0),
                 ScalarRecorder::Added::Yes);
        QCOMPARE(ofJob.add("tokens", 12, 1700000001, std::nan("")), ScalarRecorder::Added::Yes);
        ofReplica.take(records);
        ofJob.take(records);
        QCOMPARE(csvOf(records).section('\n', 1),
                 QString("1700000000.500000,11,7,2,train/f1,0.25\n"
                         "1700000000.750000,12,7,2,train/f1,12345678901\n"
                         "1700000000.500000,11,7,2,\"a \"\"b\"\", c\",3\n"
                         "1700000001.000000,12,0,,tokens,nan\n"));
    }

    void namedFiguresOfStepsThatWereTrainedAgainAreThoseOfTheLastTime() {
        std::vector<wire::Record> records;
        ScalarRecorder first(wire::ROLE_WORKER, 0);
        for (const std::uint64_t step : {10, 11, 12})
            QCOMPARE(first.add("f1", step, 1, 1), ScalarRecorder::Added::Yes);
        first.take(records);
        records.emplace_back().mutable_run_info()->set_first_step(10);
        ScalarRecorder again(wire::ROLE_WORKER, 0);  // its names are registered anew
        QCOMPARE(again.add("other", 11, 2, 7), ScalarRecorder::Added::Yes);
        QCOMPARE(again.add("f1", 11, 2, 2), ScalarRecorder::Added::Yes);
        again.take(records);
        QStringList rows;
        for (const QString& line : csvOf(records).split('\n', Qt::SkipEmptyParts).mid(1))
            rows += line.section(',', 1, 1) + ' ' + line.section(',', 4);
        QCOMPARE(rows, (QStringList{"10 f1,1", "11 other,7", "11 f1,2"}));
    }

    void aRecorderRegistersEachNameOnceAndRefusesWhatIsOver() {
        ScalarRecorder recorder(wire::ROLE_WORKER, 0);
        std::vector<wire::Record> records;
        QCOMPARE(recorder.add("f1", 1, 1, 1), ScalarRecorder::Added::Yes);
        recorder.take(records);
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(recorder.add("f1", 2, 1, 1), ScalarRecorder::Added::Yes);
        recorder.take(records);
        QCOMPARE(records.size(), std::size_t{3});
        QCOMPARE(recorder.add("", 1, 1, 1), ScalarRecorder::Added::Refused);
        QCOMPARE(recorder.add(std::string(121, 'x'), 1, 1, 1), ScalarRecorder::Added::Refused);
        QCOMPARE(recorder.add("f1", ~std::uint64_t{0}, 1, 1), ScalarRecorder::Added::Refused);
        for (std::uint32_t i = 1; i < kMaxSeries; ++i)
            QCOMPARE(recorder.add("n" + std::to_string(i), 1, 1, 1), ScalarRecorder::Added::Yes);
        QCOMPARE(recorder.takeComplaints().size(), std::size_t{3});
        QCOMPARE(recorder.refusedInAll(), std::string());  // those are all
        QCOMPARE(recorder.add("one more", 1, 1, 1), ScalarRecorder::Added::Refused);
        QCOMPARE(recorder.add("and another", 1, 1, 1), ScalarRecorder::Added::Refused);
        QCOMPARE(recorder.add("and another", 2, 1, 1), ScalarRecorder::Added::Refused);
        QCOMPARE(recorder.refusedInAll(),
                 std::string("6 values of figures were left out in all (different names: 5)"));
        const auto complaints = recorder.takeComplaints();
        QCOMPARE(complaints.size(), std::size_t{1});  // said once
        QVERIFY(complaints[0].find("one more") != std::string::npos);
    }

    void aFullRecorderLosesNothingAndItsRecordsFitTheJournal() {
        ScalarRecorder recorder(wire::ROLE_WORKER, 0);
        const std::uint64_t far = kMaxScalarStep - ScalarRecorder::kMostWaiting;
        std::uint64_t step = far;
        while (recorder.add(step % 2 ? "odd" : "even", step, double(step), 0.1) ==
               ScalarRecorder::Added::Yes)
            ++step;
        QCOMPARE(std::size_t(step - far), ScalarRecorder::kMostWaiting);
        std::vector<wire::Record> records;
        recorder.take(records);
        std::size_t values = 0;
        for (const wire::Record& record : records) {
            QVERIFY(wire::encode(record).has_value());
            if (record.has_scalars()) QVERIFY(isWellFormed(record.scalars()));
            for (const wire::ScalarColumn& column : record.scalars().columns())
                values += std::size_t(column.values_size());
        }
        QCOMPARE(values, ScalarRecorder::kMostWaiting);
        QCOMPARE(recorder.add("even", step, 1, 1), ScalarRecorder::Added::Yes);
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
