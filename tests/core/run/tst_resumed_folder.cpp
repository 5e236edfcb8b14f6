// SPDX-License-Identifier: Apache-2.0
// What a resume finds in a run's folder, and refuses to begin anew.
#include <QTemporaryDir>
#include <QtTest>

#include "core/run/run_folder.h"
#include "core/telemetry/journal.h"
#include "core/wire/messages/record.pb.h"

using namespace lockstep;
using namespace lockstep::run;

namespace fs = std::filesystem;

namespace {

std::string textOf(const Result<RunFolder>& opened) {
    if (opened) return "opened";
    return opened.error().message + " | " + opened.error().remedy;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

void write(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    QVERIFY(replaceFileDurably(path, text));
}

void writeRun(const RunPaths& run) {
    write(run.journal(), "old");
    write(run.job(), "");
    write(run.summary(), "{}");
    write(run.checkpoints() / "step-20" / "manifest.json", "{}");
}

}  // namespace

class ResumedFolderTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path base_;

private slots:
    void init() {
        temporary_ = std::make_unique<QTemporaryDir>();
        base_ = temporary_->path().toStdString();
    }
    void aRunThatEndedBeforeItsFirstCheckpointCanBeResumed() {
        QVERIFY(!holdsRun({base_ / "run"}));
        QVERIFY(contains(textOf(RunFolder::open(base_ / "run", true)), "nothing to resume"));
        write(base_ / "run" / "journal", "");
        QVERIFY(holdsRun({base_ / "run"}));
        QCOMPARE(textOf(RunFolder::open(base_ / "run", true)), std::string("opened"));
    }

    void whereACheckpointWasCutOffOnItsWayNothingBeginsAnew() {
        const RunPaths run{base_ / "run"};
        write(run.journal(), "");
        write(run.checkpoints() / ".fetch-20" / "manifest.json", "{}");
        const std::string text = textOf(RunFolder::open(run.folder, true));
        QVERIFY2(contains(text, "no whole checkpoint in " + run.folder.string() +
                                    ": that of step 20 was cut off on its way here | Go on from "),
                 text.c_str());
        QVERIFY(!fs::exists(run.lock()) && !fs::exists(run.logs()));
        // The launcher's own look does not refuse it: a launch over ssh may fetch the rest.
        QVERIFY(checkUsable(run, true).has_value());
        write(run.checkpoints() / "step-10" / "manifest.json", "{}");
        const auto opened = RunFolder::open(run.folder, true);
        QCOMPARE(textOf(opened), std::string("opened"));
        QVERIFY(contains(opened->openingNote(), "step 20 was cut off on its way to this folder"));
    }
    void aCopyToWhichNoCheckpointHasComeIsNotGoneOnWith() {
        const RunPaths copy{base_ / "copy"};
        write(copy.journal(), "");
        write(copy.copyMark(), "r1\n");
        const std::string text = textOf(RunFolder::open(copy.folder, true));
        QVERIFY2(contains(text, "it is a copy of a run, and no checkpoint has come to it"),
                 text.c_str());
        QVERIFY(fs::exists(copy.copyMark()));
    }

    void whereCheckpointsWereWrittenAndAreGoneNothingBeginsAnew() {
        const RunPaths run{base_ / "run"};
        fs::create_directories(run.folder);
        {
            const auto journal = telemetry::JournalWriter::open(run.journal()).value();
            const auto tell = [&](std::uint64_t step, const std::string& error) {
                wire::Record record;
                record.mutable_checkpoint()->set_step(step);
                record.mutable_checkpoint()->set_error(error);
                QVERIFY(journal->append(record.SerializeAsString()));
            };
            tell(10, "the disk is full");
            QVERIFY(journal->flush());
            QCOMPARE(textOf(RunFolder::open(run.folder, true)), std::string("opened"));
            tell(20, "");
            tell(30, "the disk is full");
        }
        const std::string text = textOf(RunFolder::open(run.folder, true));
        QVERIFY2(contains(text, "no checkpoint left in " + run.folder.string() +
                                    ": the run has written some, the newest of step 20 | Put one"),
                 text.c_str());
        QVERIFY2(contains(text, "--from-scratch"), text.c_str());
        write(run.checkpoints() / "step-20" / "manifest.json", "{}");
        QCOMPARE(textOf(RunFolder::open(run.folder, true)), std::string("opened"));
    }

    void fromScratchWhatIsThereIsPutAsideAsARunOfItsOwn() {
        const RunPaths run{base_ / "run"};
        writeRun(run);
        write(run.folder / "journal.cut-1", "more");
        write(run.folder / "notes.txt", "mine");
        write(run.folder / "remote.json", "where it was");
        const auto opened = RunFolder::open(run.folder, false, {}, true);
        QCOMPARE(textOf(opened), std::string("opened"));
        const RunPaths aside{run.folder / "earlier"};
        QVERIFY(fs::exists(aside.checkpoints() / "step-20" / "manifest.json"));
        QVERIFY(fs::exists(aside.folder / "journal.cut-1") && fs::exists(aside.summary()));
        QVERIFY(holdsRun(aside) && !holdsRun(run) && !fs::exists(run.job()));
        QVERIFY(fs::exists(run.folder / "notes.txt"));
        QVERIFY(fs::exists(aside.folder / "remote.json"));
        QVERIFY(!fs::exists(run.folder / "remote.json"));
        QVERIFY2(contains(opened->openingNote(), "lies in " + aside.folder.string()),
                 opened->openingNote().c_str());
    }
    void eachRunThatIsPutAsideHasAFolderOfItsOwn() {
        const RunPaths run{base_ / "run"};
        for (int i = 0; i < 2; ++i) {
            writeRun(run);
            QCOMPARE(textOf(RunFolder::open(run.folder, false, {}, true)), std::string("opened"));
        }
        QVERIFY(holdsRun({run.folder / "earlier"}) && holdsRun({run.folder / "earlier-2"}));
    }
    void aStartWhoseFolderIsLeftGivesBackTheFormerRunsFiguresAndKeepsWhatItWrote() {
        const RunPaths run{base_ / "run"};
        writeRun(run);
        write(run.lock(), "r1\n");
        write(run.summary(), R"({"status":"stopped"})");
        const std::string job = readFile(run.job(), 1 << 20).value();
        auto opened = RunFolder::open(run.folder, true);
        QCOMPARE(textOf(opened), std::string("opened"));
        QVERIFY(opened->writeRunId("r2"));
        write(run.job(), "another job");
        write(run.events() / "events.out.2", "what a thread may still write to");
        QVERIFY(!fs::exists(run.summary()));
        opened->leave();
        QCOMPARE(readFile(run.job(), 1 << 20).value(), job);
        QCOMPARE(readFile(run.summary(), 1 << 20).value(), std::string(R"({"status":"stopped"})"));
        QCOMPARE(readRunId(run), std::string("r1"));
        QVERIFY(fs::exists(run.events() / "events.out.2"));
    }
    void aStartFromScratchThatComesToNothingLeavesTheRunAsItWas() {
        const RunPaths run{base_ / "run"};
        writeRun(run);
        write(run.lock(), "r1\n");
        auto opened = RunFolder::open(run.folder, false, {}, true);
        QCOMPARE(textOf(opened), std::string("opened"));
        QVERIFY(opened->writeRunId("r2"));
        write(run.journal(), "another one");
        write(run.checkpoints() / "step-1" / "manifest.json", "{}");
        opened->takeBack();
        QCOMPARE(readFile(run.journal(), 100).value(), std::string("old"));
        QVERIFY(fs::exists(run.checkpoints() / "step-20") &&
                !fs::exists(run.checkpoints() / "step-1"));
        QVERIFY(fs::exists(run.summary()) && !fs::exists(run.folder / "earlier"));
        QCOMPARE(readRunId(run), std::string("r1"));
    }
    void whereThereIsNothingToPutAsideItIsAStartLikeAnyOther() {
        const auto opened = RunFolder::open(base_ / "run", false, {}, true);
        QCOMPARE(textOf(opened), std::string("opened"));
        QVERIFY(opened->openingNote().empty() && !fs::exists(base_ / "run" / "earlier"));
    }
};

QTEST_APPLESS_MAIN(ResumedFolderTest)
#include "tst_resumed_folder.moc"
