// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <QDirIterator>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <csignal>
#include <fstream>

#include "core/base/file.h"
#include "core/run/check/journal_account.h"
#include "core/run/event_writer.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

using namespace lockstep;
using namespace lockstep::run;

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

wire::Record steps(std::uint32_t replica, std::uint64_t first, std::uint64_t last) {
    wire::Record record;
    wire::StepBatch& batch = *record.mutable_steps();
    batch.set_replica(replica);
    batch.set_first_step(first);
    for (auto* column :
         {batch.mutable_loss(), batch.mutable_accuracy(), batch.mutable_step_us(),
          batch.mutable_data_us(), batch.mutable_forward_us(), batch.mutable_backward_us(),
          batch.mutable_all_reduce_us(), batch.mutable_update_us()})
        column->Resize(static_cast<int>(last - first) + 1, 1);
    return record;
}

wire::Record begins() {
    wire::Record record;
    record.mutable_run_state()->set_state(wire::RUN_STATE_LAUNCHING);
    return record;
}

wire::Record runFrom(std::uint64_t firstStep) {
    wire::Record record;
    record.mutable_run_info()->set_first_step(firstStep);
    record.mutable_run_info()->set_replica_count(2);
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
    void aDamagedLastRecordHidesNothingOfAResume() {
        for (const int bit : {0, 3, 12}) {  // of the length: a shorter, a longer, a far longer one
            Run run;
            std::string frames;
            telemetry::appendFrame(epoch(1, 0.5).SerializeAsString(), frames);
            const std::size_t last = frames.size();
            telemetry::appendFrame(epoch(2, 0.375).SerializeAsString(), frames);
            frames[last + bit / 8] = static_cast<char>(frames[last + bit / 8] ^ (1 << bit % 8));
            std::ofstream(run.journal, std::ios::binary) << frames;
            {
                const EventWriter events(run.journal, run.events);
                auto writer = telemetry::JournalWriter::open(run.journal).value();
                run.append(*writer, epoch(2, 0.25));
            }
            QVERIFY(run.eventsOf("train").contains(bytesOf(0.25)));
        }
    }
    void whatTheFormerStartDidNotComeToIsWrittenByTheNext() {
        Run run;
        const fs::path csv = run.journal.parent_path() / "epochs.csv";
        const auto lines = [&csv] {
            const auto text = readFile(csv, 1 << 20);
            return text ? std::ranges::count(*text, '\n') : 0;
        };
        {
            const EventWriter events(run.journal, run.events, csv);
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            run.append(*writer, epoch(1, 0.5));
        }
        {  // it was killed before its event writer came to this
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            run.append(*writer, epoch(2, 0.375));
        }
        {
            const EventWriter events(run.journal, run.events, csv);
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            run.append(*writer, epoch(3, 0.25));
        }
        QVERIFY(run.eventsOf("train").contains(bytesOf(0.375)));
        QCOMPARE(run.eventsOf("train").count(bytesOf(0.5)), 1);
        QCOMPARE(lines(), 4);
    }
    void aFullDiskDelaysEpochsAndLosesNone() {
        Run run;
        const fs::path csv = run.journal.parent_path() / "epochs.csv";
        {
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            ::signal(SIGXFSZ, SIG_IGN);
            rlimit before{};
            ::getrlimit(RLIMIT_FSIZE, &before);
            const rlimit full{120, before.rlim_max};  // for the journal it is enough
            ::setrlimit(RLIMIT_FSIZE, &full);
            const EventWriter events(run.journal, run.events, csv);
            run.append(*writer, epoch(1, 0.5));
            run.append(*writer, epoch(2, 0.375));
            QTRY_VERIFY_WITH_TIMEOUT(!events.problem().empty(), 10'000);
            ::setrlimit(RLIMIT_FSIZE, &before);
            run.append(*writer, epoch(3, 0.25));
            QTRY_VERIFY_WITH_TIMEOUT(events.problem().empty(), 10'000);
        }
        for (const double loss : {0.5, 0.375, 0.25})
            QCOMPARE(run.eventsOf("train").count(bytesOf(loss)), 1);
        const auto text = readFile(csv, 1 << 20).value();
        QCOMPARE(std::ranges::count(text, '\n'), 4);
    }
    void whatAFormerStartHadNotToldOfItsStepsIsCounted() {
        Run run;
        {
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            for (const wire::Record& record :
                 {begins(), runFrom(0), steps(0, 1, 60), steps(1, 1, 52), begins(), runFrom(60),
                  steps(0, 61, 112), steps(1, 61, 104)})
                run.append(*writer, record);
        }
        EventWriter events(run.journal, run.events);
        auto writer = telemetry::JournalWriter::open(run.journal).value();
        for (const wire::Record& record :
             {begins(), runFrom(112), steps(0, 113, 120), steps(1, 113, 119)})
            run.append(*writer, record);
        QCOMPARE(events.settle(std::chrono::seconds(10)), std::string());
        QCOMPARE(events.readBack().lostSteps, std::uint64_t{8});  // those before are told already
        QVERIFY(events.readBack().lostStepsText.ends_with(": 8 (105-112)"));
        const auto account = accountOf(run.journal);  // of all starts
        QCOMPARE(account->missingSteps, std::uint64_t{16});
        QCOMPARE(account->gaps, (std::vector<std::string>{"replica 1: steps 53 to 60",
                                                          "replica 1: steps 105 to 112"}));
        QCOMPARE(account->steps, std::uint64_t{120 + 119 - 16});
    }
    void whatIsWrittenAtTheEndIsKnownBeforeItIsSaid() {
        Run run;
        EventWriter events(run.journal, run.events);
        auto writer = telemetry::JournalWriter::open(run.journal).value();
        for (const double loss : {0.5, 0.25}) {
            run.append(*writer, epoch(1, loss));
            QCOMPARE(events.settle(std::chrono::seconds(10)), std::string());
            QVERIFY(run.eventsOf("train").contains(bytesOf(loss)));
        }
        EventWriter nowhere(run.journal, "/proc/nowhere/events");
        run.append(*writer, epoch(2, 0.125));
        QVERIFY(!nowhere.settle(Millis(200)).empty());
    }
    /// As a disk that takes nothing, then hangs.
    void aThreadThatHangsIsNotWaitedForAlsoWhereItHadFailedBefore() {
        Run run;
        QVERIFY(replaceFileDurably(run.events, "in the way"));
        EventWriter events(run.journal, run.events);
        auto writer = telemetry::JournalWriter::open(run.journal).value();
        run.append(*writer, epoch(1, 0.5));
        QTRY_VERIFY_WITH_TIMEOUT(!events.problem().empty(), 10'000);
        // The writer of a pipe that nobody reads waits where it opens it.
        const fs::path other = run.events.parent_path() / "other";
        const fs::path position = other / ".position";
        fs::create_directory(other);
        QCOMPARE(::mkfifo(position.c_str(), 0600), 0);
        fs::remove(run.events);
        fs::rename(other, run.events);
        QVERIFY(!events.settle(std::chrono::seconds(2)).empty());
        QVERIFY(!events.end(Millis(100)));
        const UniqueFd reader(
            ::open((run.events / ".position").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        QVERIFY(events.end(std::chrono::seconds(10)));
    }
    void whatIsKnownOfTheJournalNeedNotBeReadAgain() {
        Run run;
        std::uint64_t known = 0;
        {
            auto writer = telemetry::JournalWriter::open(run.journal).value();
            run.append(*writer, epoch(1, 0.5));
            known = writer->end();
            run.append(*writer, epoch(2, 0.25));
        }
        EventWriter events(run.journal, run.events, {}, known);
        QCOMPARE(events.settle(std::chrono::seconds(10)), std::string());
        QVERIFY(!run.eventsOf("train").contains(bytesOf(0.5)));
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
