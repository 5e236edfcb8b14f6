// SPDX-License-Identifier: Apache-2.0
// A run that is gone on with takes what its folder lacks from whichever host has a copy of it.
#include <QtTest>
#include <filesystem>

#include "core/base/file.h"
#include "core/checkpoint/kept_mark.h"
#include "core/checkpoint/suspect_mark.h"
#include "core/run/run_folder.h"
#include "tests/core/launch/restore_hosts.h"

using namespace lockstep;
using namespace lockstep::launch;
using launch::test::frames;
using launch::test::Hosts;

namespace fs = std::filesystem;

class RunRestoreTest : public QObject {
    Q_OBJECT
private slots:
    void aFolderThatIsWholeIsLeftAlone() {
        Hosts hosts;
        hosts.commit("home", 10);
        hosts.commit("b", 20);  // of a history that was given up
        QCOMPARE(*hosts.restore(), "");
        QVERIFY(hosts.homeHolds(10));
    }
    void whereNobodyHasAnythingThereIsNothingToResume() {
        Hosts hosts;
        QCOMPARE(hosts.restore().error().code, ErrorCode::BadInput);
        QVERIFY(fs::is_empty(hosts.folder("home")));
        // Nor where an attempt that was cut off is all there is.
        fs::create_directories(hosts.paths("home").checkpoints() / ".fetch-20");
        hosts.write(hosts.paths("mirror").journal(), frames(3));
        QCOMPARE(hosts.restore().error().code, ErrorCode::BadInput);
        hosts.commit("b", 20);
        hosts.damage("b", 20);
        QCOMPARE(hosts.restore().error().code, ErrorCode::BadInput);
        QVERIFY(!fs::exists(hosts.paths("home").journal()));
    }
    void aRunThatEndedBeforeItsFirstCheckpointIsLeftAlone() {
        Hosts hosts;
        hosts.write(hosts.paths("home").journal(), frames(2));
        QCOMPARE(*hosts.restore(), "");
    }
    void whereNobodyCanHelpNoCheckpointIsRead() {
        Hosts hosts;
        hosts.commit("home", 10);
        hosts.write(hosts.paths("home").journal(), frames(2));
        QCOMPARE(*hosts.restore(), "");
        QCOMPARE(hosts.readings, 0);
        hosts.commit("b", 10);
        QCOMPARE(*hosts.restore(), "");
        QCOMPARE(hosts.readings, 1);
    }
    void aJournalThatIsGoneComesBackBesideCheckpointsThatAreWhole() {
        Hosts hosts;
        hosts.commit("home", 10);
        hosts.commit("b", 10);
        hosts.write(hosts.paths("b").journal(), frames(5));
        QCOMPARE(*hosts.restore(), "the journal is from node-b, which had a copy: node-a had none");
        QCOMPARE(*readFile(hosts.paths("home").journal(), 1 << 20), frames(5));
    }
    void theBestOneComesBackBesideTheNewest() {
        for (int pieces = 0; pieces < 40; ++pieces) {
            Hosts hosts;
            hosts.commit("b", 10, 10);
            hosts.commit("b", 20, 10);
            hosts.cutAfter = pieces;
            const bool isCut = !hosts.restore();
            hosts.cutAfter = -1;
            if (isCut) QVERIFY(hosts.restore().has_value());
            QVERIFY(hosts.homeHolds(20, 10));
            if (isCut) QCOMPARE(hosts.bestAtHome(), 10);
            if (!isCut && hosts.bestAtHome() == 10) return;  // nothing was lost on the way
        }
        QFAIL("the best one never came");
    }
    void aCopyThatIsMarkedAsSuspectIsPassedOver() {
        Hosts hosts;
        hosts.commit("b", 10);
        hosts.commit("b", 20);
        const fs::path copies = hosts.paths("b").checkpoints();
        QVERIFY(checkpoint::markSuspect(copies, {20, 21, "nan"}));
        QVERIFY(checkpoint::markKept(copies, 10, true));
        QVERIFY(hosts.restore().has_value());
        QVERIFY(hosts.homeHolds(10));
        QVERIFY(checkpoint::isKept(hosts.paths("home").checkpoints(), 10));
        QVERIFY(!fs::exists(hosts.paths("home").checkpoints() / "step-20"));
    }
    void aCopyThatIsMarkedAsSuspectIsBetterThanNone() {
        Hosts hosts;
        hosts.commit("b", 20);
        QVERIFY(checkpoint::markSuspect(hosts.paths("b").checkpoints(), {20, 21, "nan"}));
        QVERIFY(hosts.restore().has_value());
        QVERIFY(hosts.homeHolds(20));
    }
    void anOlderCopyIsBetterThanWhatIsSuspectAtHome() {
        Hosts hosts;
        hosts.commit("home", 20);
        hosts.commit("b", 10);
        hosts.commit("b", 20);
        for (const char* host : {"home", "b"})
            QVERIFY(checkpoint::markSuspect(hosts.paths(host).checkpoints(), {20, 21, "nan"}));
        const auto restored = hosts.restore();
        QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
        QCOMPARE(*restored,
                 "the checkpoint of step 10 is from node-b, which had a copy: what node-a has is "
                 "marked as suspect");
        QVERIFY(hosts.homeHolds(10));
        QVERIFY(checkpoint::suspicionOf(hosts.paths("home").checkpoints(), 20));
    }
    void whatIsSuspectAtHomeIsSoInACopyThatHasNoMark() {
        Hosts hosts;
        hosts.commit("home", 20);
        hosts.commit("b", 20);
        QVERIFY(checkpoint::markSuspect(hosts.paths("home").checkpoints(), {20, 21, "nan"}));
        QCOMPARE(*hosts.restore(), "");
        QVERIFY(hosts.homeHolds(20));  // better than none
        QVERIFY(checkpoint::suspicionOf(hosts.paths("home").checkpoints(), 20));
    }
    /// Behind one that is suspect at home alone, on the same host; damage beside it hides nothing.
    void anOlderCopyIsFoundBehindOneThatHasNoMarkYet_data() {
        QTest::addColumn<bool>("isDamaged");
        QTest::newRow("all that is at home is suspect") << false;
        QTest::newRow("and one more is damaged") << true;
    }
    void anOlderCopyIsFoundBehindOneThatHasNoMarkYet() {
        QFETCH(bool, isDamaged);
        Hosts hosts;
        if (isDamaged) {
            hosts.commit("home", 15);
            hosts.damage("home", 15);
        }
        hosts.commit("home", 20);
        hosts.commit("b", 10);
        hosts.commit("b", 20);
        QVERIFY(checkpoint::markSuspect(hosts.paths("home").checkpoints(), {20, 21, "nan"}));
        const auto restored = hosts.restore();
        QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
        QVERIFY2(restored->starts_with("the checkpoint of step 10 is from node-b"),
                 restored->c_str());
        QVERIFY(hosts.homeHolds(10));
        QVERIFY(checkpoint::suspicionOf(hosts.paths("home").checkpoints(), 20));
    }
    void theBestOneOfAFolderThatHasOneStays() {
        Hosts hosts;
        hosts.commit("home", 10, 10);
        hosts.commit("home", 20, 10);
        hosts.commit("b", 20, 20);
        hosts.damage("home", 20);
        QVERIFY(hosts.restore().has_value());
        QVERIFY(hosts.homeHolds(20, 20));  // as node-b has it
        QCOMPARE(hosts.bestAtHome(), 10);
    }
    void whatHasComeThereMeanwhileStays() {
        Hosts hosts;
        hosts.commit("b", 20);
        hosts.write(hosts.paths("b").journal(), frames(5));
        hosts.write(hosts.paths("home").job(), "[job]\n");
        hosts.write(hosts.paths("mirror").job(), "[job] # another\n");
        const auto restored = hosts.restore();
        QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
        QCOMPARE(*readFile(hosts.paths("home").job(), 1 << 20), "[job]\n");
        QVERIFY(!fs::exists(hosts.folder("home") / ".fetch-job.toml"));
    }
    void aPieceOfAFileThatDoesNotFollowTheLastIsRefused() {
        Hosts hosts;
        QVERIFY(hosts.store("journal", 0, "one").has_value());
        QVERIFY(hosts.store("journal", 3, "two").has_value());
        QCOMPARE(hosts.store("journal", 3, "two").error().code, ErrorCode::BadInput);
        QCOMPARE(hosts.store("journal", 9, "two").error().code, ErrorCode::BadInput);
    }
    void besideAFolderThatTheLauncherSeesAllIsFromTheCopy() {
        Hosts hosts;
        hosts.seesHome = true;
        hosts.commit("b", 20);
        hosts.write(hosts.paths("b").journal(), "");
        hosts.write(hosts.paths("b").job(), "[job]\n");
        const auto restored = hosts.restore();
        QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
        QVERIFY(!fs::exists(hosts.paths("home").journal()));  // it begins anew
        hosts.write(hosts.paths("b").journal(), frames(3));
        QVERIFY(hosts.restore().has_value());
        QCOMPARE(*readFile(hosts.paths("home").journal(), 1 << 20), frames(3));
        QCOMPARE(*readFile(hosts.paths("home").job(), 1 << 20), "[job]\n");
    }
    void aFolderThatIsGoneComesBackWithItsJournal() {
        Hosts hosts;
        hosts.commit("b", 10);
        hosts.commit("b", 20);
        hosts.write(hosts.paths("b").journal(), frames(5));
        hosts.write(hosts.paths("mirror").job(), "[job]\n");
        const auto restored = hosts.restore();
        QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
        QCOMPARE(*restored,
                 "the checkpoint of step 20 is from node-b, which had a copy: node-a has none of "
                 "this run");
        QVERIFY(hosts.homeHolds(20));
        QCOMPARE(*readFile(hosts.paths("home").journal(), 1 << 20), frames(5));
        QCOMPARE(*readFile(hosts.paths("home").job(), 1 << 20), "[job]\n");
        QVERIFY(run::checkUsable(hosts.paths("home"), true));
    }
    void theNewestOfAllHostsIsTakenAndTheLongestJournal() {
        Hosts hosts;
        hosts.commit("b", 10);
        hosts.commit("c", 20);
        hosts.write(hosts.paths("c").journal(), frames(3));
        hosts.write(hosts.paths("mirror").journal(), frames(4));
        QVERIFY(hosts.restore()->starts_with("the checkpoint of step 20 is from node-c"));
        QVERIFY(hosts.homeHolds(20));
        QCOMPARE(*readFile(hosts.paths("home").journal(), 1 << 20), frames(4));
    }
    void aDamagedOneIsReplacedAndTheJournalStays() {
        Hosts hosts;
        hosts.commit("home", 10);
        hosts.commit("home", 20);
        hosts.commit("b", 20);
        hosts.damage("home", 20);
        hosts.write(hosts.paths("home").journal(), frames(2));
        hosts.write(hosts.paths("b").journal(), frames(3));
        QVERIFY(hosts.restore()->find("model.safetensors") != std::string::npos);
        QVERIFY(hosts.homeHolds(20));
        QCOMPARE(*readFile(hosts.paths("home").journal(), 1 << 20), frames(2));
    }
    void aDamagedOneStaysWhereNobodyHasANewerOne() {
        Hosts hosts;
        hosts.commit("home", 10);
        hosts.commit("home", 20);
        hosts.damage("home", 20);
        hosts.commit("b", 10);
        QCOMPARE(*hosts.restore(), "");
        hosts.commit("b", 20);
        hosts.damage("b", 20);  // nor a good one
        QCOMPARE(*hosts.restore(), "");
    }
    void whoIsCutOffInTheMiddleLeavesNothingThatCountsAndCanBeginAgain() {
        for (int pieces = 0; pieces < 40; ++pieces) {
            Hosts hosts;
            hosts.commit("b", 20);
            hosts.write(hosts.paths("b").journal(), frames(5));
            hosts.write(hosts.paths("b").job(), "[job]\n");
            hosts.cutAfter = pieces;
            const auto cut = hosts.restore();
            if (cut) return;  // all had passed
            QCOMPARE(cut.error().code, ErrorCode::PeerLost);
            hosts.cutAfter = -1;
            const auto restored = hosts.restore();
            QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
            QVERIFY(hosts.homeHolds(20));
            QCOMPARE(readFile(hosts.paths("home").journal(), 1 << 20).value_or(""), frames(5));
            QCOMPARE(readFile(hosts.paths("home").job(), 1 << 20).value_or(""), "[job]\n");
        }
        QFAIL("it never came whole");
    }
    void aCopyIsTakenToAFolderThatIsNewAndSaysWhatThatCosts() {
        Hosts hosts;
        hosts.keepCopy("r2");
        const auto taken = hosts.takeCopy();
        QVERIFY2(taken.has_value(), taken ? "" : taken.error().message.c_str());
        QCOMPARE(*taken,
                 "the run goes on from the copy that node-b has, in " +
                     hosts.folder("home").string() +
                     " on node-a: from the checkpoint of step 20; steps 21 to 23 are trained "
                     "again, and the logs and event files of node-z stay there");
        QVERIFY(hosts.homeHolds(20));
        QCOMPARE(*readFile(hosts.paths("home").journal(), 1 << 20), frames(5));
        QVERIFY(fs::exists(hosts.paths("b").copyMark()));  // it stays a copy
        // An attempt that was cut off behind that says the same.
        QVERIFY(hosts.takeCopy(20)->find("; no step that was heard of is lost, and") !=
                std::string::npos);
        QVERIFY(hosts.takeCopy(21)->find("; step 21 is trained again, and") != std::string::npos);
    }
    void aCopyThatIsHeldOrGoneOnFromOrOfAnotherRunIsNotTaken() {
        Hosts hosts;
        hosts.keepCopy("r3");
        QVERIFY(hosts.takeCopy().error().message.ends_with("is no copy of this run"));
        hosts.keepCopy("r2");
        fs::remove(hosts.paths("b").copyMark());
        QVERIFY(hosts.takeCopy().error().message.starts_with("the run has been gone on with from"));
        hosts.keepCopy("r2");
        {
            const auto lock = run::lockRunFolder(hosts.paths("b"), "r2");
            QVERIFY(lock.has_value());
            QCOMPARE(hosts.takeCopy().error().code, ErrorCode::Unavailable);
        }
        hosts.damage("b", 20);
        QVERIFY(hosts.takeCopy().error().message.ends_with("holds no checkpoint that is whole"));
        QVERIFY(fs::is_empty(hosts.folder("home")));
    }
    void aFolderThatAProgramHoldsIsNotTouched() {
        Hosts hosts;
        hosts.commit("b", 20);
        const auto lock = run::lockRunFolder(hosts.paths("home"), "r1");
        QVERIFY(lock.has_value());
        const auto refused = hosts.restore();
        QCOMPARE(refused.error().code, ErrorCode::Unavailable);
    }
    void whatIsNoFileOfACheckpointIsRefused() {
        Hosts hosts;
        for (const char* name : {"../secret", "/etc/passwd", ".hidden", "model/../x", ""}) {
            wire::ToHost request;
            wire::StorePiece& piece = *request.mutable_store_piece();
            piece.set_run_dir(hosts.folder("home").string());
            piece.set_step(20);
            piece.set_file(name);
            piece.set_bytes("x");
            QVERIFY2(!hosts.requests.at(wire::ToHost::kStorePiece)(request, {}), name);
            piece.set_step(-1);
            QVERIFY2(!hosts.requests.at(wire::ToHost::kStorePiece)(request, {}), name);
        }
    }
};

QTEST_GUILESS_MAIN(RunRestoreTest)
#include "tst_run_restore.moc"
