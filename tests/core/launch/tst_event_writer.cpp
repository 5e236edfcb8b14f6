// SPDX-License-Identifier: Apache-2.0
#include <QDirIterator>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "core/launch/event_writer.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

using namespace lockstep;
using namespace lockstep::launch;

namespace fs = std::filesystem;

namespace {

struct Run {
    QTemporaryDir temporary;
    fs::path journal{fs::path(temporary.path().toStdString()) / "journal"};
    fs::path events{fs::path(temporary.path().toStdString()) / "events"};

    /// The bytes of all event files of one TensorBoard run.
    [[nodiscard]] QByteArray eventsOf(const char* run) const {
        QByteArray all;
        QDirIterator files(QString::fromStdString((events / run).string()), QDir::Files);
        while (files.hasNext()) {
            QFile file(files.next());
            if (file.open(QIODevice::ReadOnly)) all += file.readAll();
        }
        return all;
    }
    void append(telemetry::JournalWriter& writer, const wire::Record& record) {
        QVERIFY(writer.append(record.SerializeAsString()));
        QVERIFY(writer.flush());
    }
};

wire::Record epoch(std::uint32_t number, double loss) {
    wire::Record record;
    record.set_wall_time(1.7e9 + number);
    record.mutable_epoch()->set_epoch(number);
    record.mutable_epoch()->set_step(number * 100);
    record.mutable_epoch()->set_train_loss(loss);
    return record;
}

/// A float as event files hold it.
QByteArray bytesOf(double value) {
    const auto single = static_cast<float>(value);
    return {reinterpret_cast<const char*>(&single), sizeof single};
}

}  // namespace

class EventWriterTest : public QObject {
    Q_OBJECT
private slots:
    void whatTheJournalHoldsAtTheEndIsInTheEventFiles() {
        Run run;
        {
            const EventWriter events(run.journal, run.events);
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            run.append(*writer, epoch(1, 0.5));
            run.append(*writer, epoch(2, 0.25));
        }
        const QByteArray bytes = run.eventsOf("train");
        QVERIFY(bytes.contains("train/loss"));
        QVERIFY(bytes.contains(bytesOf(0.5)) && bytes.contains(bytesOf(0.25)));
    }
    void aRunWithoutAJournalWritesNoFiles() {
        Run run;
        { const EventWriter events(run.journal, run.events); }
        QVERIFY(run.eventsOf("train").isEmpty());
    }
    void aResumedRunDoesNotRepeatTheEarlierOnes() {
        Run run;
        {
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            run.append(*writer, epoch(1, 0.5));
        }
        {
            const EventWriter events(run.journal, run.events);
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            run.append(*writer, epoch(2, 0.25));
        }
        const QByteArray bytes = run.eventsOf("train");
        QVERIFY(!bytes.contains(bytesOf(0.5)));
        QVERIFY(bytes.contains(bytesOf(0.25)));
    }
    void aJournalThatACrashCutShortIsFollowedFromItsLastWholeRecord() {
        Run run;
        {
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            run.append(*writer, epoch(1, 0.5));
            run.append(*writer, epoch(2, 0.375));
        }
        fs::resize_file(run.journal, fs::file_size(run.journal) - 5);
        {
            const EventWriter events(run.journal, run.events);
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            QVERIFY(!writer->openingNote().empty());
            run.append(*writer, epoch(2, 0.25));
        }
        const QByteArray bytes = run.eventsOf("train");
        QVERIFY(bytes.contains(bytesOf(0.25)));
        QVERIFY(!bytes.contains(bytesOf(0.5)) && !bytes.contains(bytesOf(0.375)));
    }
    void aDamagedRecordIsPassedOver() {
        Run run;
        {
            const EventWriter events(run.journal, run.events);
            std::string frames;
            telemetry::appendFrame(epoch(1, 0.5).SerializeAsString(), frames);
            frames[12] = static_cast<char>(frames[12] ^ 1);
            telemetry::appendFrame("not a record", frames);
            telemetry::appendFrame(epoch(2, 0.25).SerializeAsString(), frames);
            std::ofstream(run.journal, std::ios::binary) << frames;
        }
        QVERIFY(run.eventsOf("train").contains(bytesOf(0.25)));
        QVERIFY(!run.eventsOf("train").contains(bytesOf(0.5)));
    }
    void anImpossibleLengthCostsNothingElse() {
        Run run;
        {
            const EventWriter events(run.journal, run.events);
            std::string frames;
            telemetry::appendFrame(epoch(1, 0.5).SerializeAsString(), frames);
            frames += "\xFF\xFF\xFF\xFF and more";
            telemetry::appendFrame(epoch(2, 0.25).SerializeAsString(), frames);
            std::ofstream(run.journal, std::ios::binary) << frames;
        }
        QVERIFY(run.eventsOf("train").contains(bytesOf(0.5)));
        QVERIFY(run.eventsOf("train").contains(bytesOf(0.25)));
    }
    void anEventFolderThatCannotBeMadeHarmsNobody() {
        Run run;
        run.events = "/proc/nowhere/events";
        const EventWriter events(run.journal, run.events);
        auto writer = telemetry::JournalWriter::open(run.journal).value();
        run.append(*writer, epoch(1, 0.5));
        QVERIFY(writer->sync());
    }
};

QTEST_GUILESS_MAIN(EventWriterTest)
#include "tst_event_writer.moc"
