// SPDX-License-Identifier: Apache-2.0
// The copy of a run's journal that lies on another host.
#include <QTemporaryDir>
#include <QtTest>

#include "core/run/run_mirror.h"
#include "core/telemetry/journal.h"

using namespace lockstep;
using namespace lockstep::run;

namespace fs = std::filesystem;

namespace {

template <typename... Records>
std::string frames(Records... records) {
    std::string bytes;
    (telemetry::appendFrame(records, bytes), ...);
    return bytes;
}

struct Place {
    QTemporaryDir folder;
    run::RunPaths paths{fs::path(folder.path().toStdString()) / "runs" / "run"};

    [[nodiscard]] Result<RunMirror> open() const { return RunMirror::open(paths, "r1"); }
    [[nodiscard]] std::string onDisk() const { return readFile(paths.journal(), 1 << 20).value(); }
};

}  // namespace

class RunMirrorTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsAddedCanBeReadAndGoesOnAfterwards() {
        const Place place;
        const std::string first = frames("one", "two");
        const std::string second = frames("three");
        {
            auto mirror = place.open();
            QVERIFY(mirror.has_value());
            QVERIFY(mirror->writes());
            QCOMPARE(mirror->size(), std::uint64_t(0));
            QCOMPARE(mirror->read(0, 1 << 20).value(), std::string());
            QVERIFY(mirror->append(0, first).has_value());
            QCOMPARE(mirror->read(0, 1 << 20).value(), first);
            // At least one frame, whole ones only.
            QCOMPARE(mirror->read(0, 1).value(), frames("one"));
        }
        auto again = place.open();
        QVERIFY(again.has_value());
        QCOMPARE(again->size(), std::uint64_t(first.size()));
        QVERIFY(again->append(again->size(), second).has_value());
        QCOMPARE(place.onDisk(), first + second);
        QCOMPARE(again->read(first.size(), 1 << 20).value(), second);
        QCOMPARE(run::readRunId(place.paths), std::string("r1"));
    }
    void whatIsThereAlreadyIsNotAddedTwiceAndNoGapComesIn() {
        const Place place;
        auto mirror = place.open();
        QVERIFY(mirror.has_value());
        const std::string all = frames("one", "two", "three");
        const std::string two = frames("one", "two");
        QVERIFY(mirror->append(0, two).has_value());
        QVERIFY(mirror->append(0, two).has_value());  // once more
        QCOMPARE(place.onDisk(), two);
        QVERIFY(mirror->append(0, all).has_value());  // overlaps: the rest is new
        QCOMPARE(place.onDisk(), all);
        QVERIFY(mirror->append(all.size() + 11, frames("far")).has_value());
        QCOMPARE(place.onDisk(), all);
        QCOMPARE(mirror->size(), std::uint64_t(all.size()));
    }
    void whatACrashHasLeftOfAFrameIsCutOff() {
        const Place place;
        const std::string whole = frames("one", "two");
        const std::string last = frames("three");
        for (std::size_t cut = 1; cut < last.size(); ++cut) {
            fs::create_directories(place.paths.folder);
            QVERIFY(replaceFileDurably(place.paths.journal(), whole + last.substr(0, cut)));
            auto mirror = place.open();
            QVERIFY(mirror.has_value());
            QCOMPARE(mirror->size(), std::uint64_t(whole.size()));
            QCOMPARE(place.onDisk(), whole);
            QVERIFY(mirror->append(whole.size(), last).has_value());
            QCOMPARE(place.onDisk(), whole + last);
        }
    }
    void whatIsCutAsideLiesBesideIt() {
        const Place place;
        auto mirror = place.open();
        const std::string all = frames("one", "two", "three");
        const std::string first = frames("one");
        QVERIFY(mirror->append(0, all).has_value());
        QVERIFY(mirror->cutAside(first.size()).has_value());
        QCOMPARE(place.onDisk(), first);
        QVERIFY(mirror->cutAside(0).has_value());
        QCOMPARE(place.onDisk(), std::string());
        const std::string cut = place.paths.journal().string() + ".cut-";
        QCOMPARE(*readFile(cut + "1", 1 << 20), all.substr(first.size()));
        QCOMPARE(*readFile(cut + "2", 1 << 20), first);
    }
    void aSecondOneOnlyReadsAndCutsNothingOff() {
        const Place place;
        auto writer = place.open();
        QVERIFY(writer.has_value());
        const std::string whole = frames("one");
        QVERIFY(writer->append(0, whole).has_value());
        auto reader = place.open();
        QVERIFY(reader.has_value());
        QVERIFY(!reader->writes());
        QCOMPARE(reader->read(0, 1 << 20).value(), whole);
        QVERIFY(reader->append(whole.size(), frames("two")).has_value());
        QCOMPARE(place.onDisk(), whole);
        QCOMPARE(reader->size(), std::uint64_t(whole.size()));
        QVERIFY(writer->append(whole.size(), frames("two")).has_value());
        QCOMPARE(place.onDisk(), frames("one", "two"));
    }
    void aFolderThatCannotBeWrittenIsNamed() {
        const Place place;
        fs::create_directories(place.paths.journal());  // a folder of the journal's name
        const auto mirror = RunMirror::open(place.paths, "r1");
        QVERIFY(!mirror);
        QCOMPARE(mirror.error().code, ErrorCode::Io);
        QVERIFY(
            mirror.error().message.starts_with("cannot write " + place.paths.journal().string()));
    }
};

QTEST_GUILESS_MAIN(RunMirrorTest)
#include "tst_run_mirror.moc"
