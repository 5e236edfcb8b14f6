// SPDX-License-Identifier: Apache-2.0
// A run that another host had at its last start: what is gone on with is what that one has.
#include <QtTest>
#include <filesystem>

#include "core/base/file.h"
#include "core/run/run_folder.h"
#include "tests/core/launch/restore_hosts.h"

using namespace lockstep;
using namespace lockstep::launch;
using launch::test::frames;
using launch::test::Hosts;

namespace fs = std::filesystem;

class FormerHomeTest : public QObject {
    Q_OBJECT
private slots:
    void theHostThatHadTheRunLastHasItNewerThanItsOldFolder() {
        Hosts hosts;
        hosts.commit("home", 10);
        hosts.commit("b", 10);
        hosts.commit("c", 20);
        const FormerHome former{"node-c", hosts.folder("c").string(), true, 2};
        QCOMPARE(*hosts.restore(former),
                 "the checkpoint of step 20 is from node-c, which had a copy: node-a has that of "
                 "step 10");
        QVERIFY(hosts.homeHolds(20));
        QCOMPARE(*hosts.restore(former), "");
    }
    void whatAHostAloneHasThatIsNotAskedIsNotGivenUp() {
        Hosts hosts;
        hosts.commit("b", 10);
        hosts.tellOfCommits({{10, ""}, {20, ""}, {30, "no space"}});
        const FormerHome former{"node-z", "/runs/r-1", false, 3};
        const auto refused = hosts.restore(former);
        QVERIFY(!refused && refused.error().code == ErrorCode::BadInput);
        QCOMPARE(
            refused.error().message,
            "the newest checkpoint of the run, of step 20, lies on node-z, in /runs/r-1, which "
            "is none of the job's hosts, and none of them has it");
        const std::string mirror = hosts.folder("mirror").string();
        const std::string copy = hosts.folder("b").string();
        QCOMPARE(refused.error().remedy,
                 "Go on from this machine, with the job of its last start: `lockstepctl run " +
                     mirror + "/job.toml --run-dir " + mirror +
                     " --resume`.\nWhere that host is lost for good, node-b has a copy of step 10. "
                     "There, `lockstepctl run " +
                     copy + "/job.toml --processes 3 --run-dir " + copy +
                     " --resume` goes on with it.");
        QVERIFY(fs::is_empty(hosts.folder("home")));
        hosts.commit("b", 20);  // its copy is as new
        QVERIFY(hosts.restore(former).has_value());
        QVERIFY(hosts.homeHolds(20));
    }
    void aRunThatStillGoesOnElsewhereIsNotBegunTwice() {
        Hosts hosts;
        hosts.commit("home", 10);
        hosts.commit("c", 20);
        const auto lock = run::lockRunFolder(hosts.paths("c"), "r1");
        QVERIFY(lock.has_value());
        const auto refused = hosts.restore(FormerHome{"node-c", hosts.folder("c").string(), true});
        QVERIFY(!refused && refused.error().code == ErrorCode::Unavailable);
        QVERIFY(refused.error().message.starts_with("the run still goes on on node-c, in "));
        QVERIFY(hosts.homeHolds(10));
    }
    void anOldFolderThatIsWholeIsNotGoneOnWithWhereACopyHasTheNewest() {
        Hosts hosts;
        hosts.commit("home", 10);
        hosts.commit("b", 20);
        hosts.tellOfCommits({{10, ""}, {20, ""}});
        const FormerHome former{"node-z", "/runs/r-1", false, 3};
        QCOMPARE(*hosts.restore(former),
                 "the checkpoint of step 20 is from node-b, which had a copy: node-a has that of "
                 "step 10");
        QVERIFY(hosts.homeHolds(20));
    }
    void whereTheFolderHasTheNewestNothingOfAnotherHistoryIsTaken() {
        Hosts hosts;
        hosts.commit("home", 20);
        hosts.write(hosts.paths("home").journal(), frames(2));
        hosts.commit("b", 30);
        hosts.tellOfCommits({{10, ""}, {20, ""}});
        QCOMPARE(*hosts.restore(FormerHome{"node-z", "/runs/r-1", false, 3}), "");
        QVERIFY(hosts.homeHolds(20));
    }
    void theJournalOfWhoHadTheRunLastTakesThePlaceOfTheOneThatEndsEarlier_data() {
        QTest::addColumn<bool>("isCut");
        QTest::newRow("at once") << false;
        QTest::newRow("behind the checkpoint, and then again") << true;
    }
    void theJournalOfWhoHadTheRunLastTakesThePlaceOfTheOneThatEndsEarlier() {
        QFETCH(const bool, isCut);
        Hosts hosts;
        hosts.commit("home", 10);
        hosts.write(hosts.paths("home").journal(), frames(3));
        hosts.write(hosts.paths("home").job(), "[job]\n");
        hosts.commit("c", 20);
        hosts.write(hosts.paths("c").journal(), frames(6));
        const FormerHome former{"node-c", hosts.folder("c").string(), true, 2};
        hosts.cutsJournal = isCut;
        if (isCut) QVERIFY(!hosts.restore(former) && hosts.homeHolds(20));
        QCOMPARE(*readFile(hosts.paths("home").journal(), 1 << 20), frames(3));
        hosts.cutsJournal = false;
        const auto restored = hosts.restore(former);
        QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
        QVERIFY(hosts.homeHolds(20));
        QCOMPARE(*readFile(hosts.paths("home").journal(), 1 << 20), frames(6));
        QCOMPARE(*readFile(hosts.folder("home") / "journal.cut-1", 1 << 20), frames(3));
        QCOMPARE(*hosts.restore(former), "");
        QVERIFY(!fs::exists(hosts.folder("home") / "journal.cut-2"));
    }
    void whoWasNotAskedIsSaidWhereNoJournalTellsWhatItHas() {
        Hosts hosts;
        hosts.commit("b", 10);
        const auto restored = hosts.restore(FormerHome{"node-z", "/runs/r-1", false, 3});
        QVERIFY(restored.has_value());
        QVERIFY2(restored->ends_with("; node-z had the run last, in /runs/r-1: it is none of the "
                                     "job's hosts, and was not asked for newer checkpoints"),
                 restored->c_str());
        QVERIFY(hosts.homeHolds(10));
    }
    void theNewestOfTheOlderCopiesIsOffered() {
        Hosts hosts;
        hosts.commit("b", 10);
        hosts.commit("c", 20);
        hosts.tellOfCommits({{30, ""}});
        const FormerHome former{"node-z", "/runs/r-1", false, 3};
        QVERIFY(hosts.restore(former).error().remedy.find("node-c has a copy of step 20") !=
                std::string::npos);
        hosts.commit("home", 25);  // its own, too
        QVERIFY(hosts.restore(former).error().remedy.find("node-a has a copy of step 25") !=
                std::string::npos);
    }
};

QTEST_GUILESS_MAIN(FormerHomeTest)
#include "tst_former_home.moc"
