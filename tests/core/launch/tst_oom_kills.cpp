// SPDX-License-Identifier: Apache-2.0
// Whose kills for want of memory count, with files in the place of the kernel's.
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <chrono>
#include <fstream>

#include "core/launch/process/oom_kills.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

class OomKillsTest : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    const fs::path groups_{temporary_.path().toStdString()};

    void write(const fs::path& file, const std::string& text) const {
        fs::create_directories((groups_ / file).parent_path());
        std::ofstream(groups_ / file) << text;
    }
    /// In the topmost group that can be seen, of either version: this process's own is not there.
    void count(int kills) const {
        write("memory.events", "oom 9\noom_kill " + std::to_string(kills) + "\n");
        write("memory/memory.oom_control", "under_oom 0\noom_kill " + std::to_string(kills) + "\n");
    }

private slots:
    void theCounterIsThatOfTheProcesssOwnGroup_data() {
        QTest::addColumn<QByteArray>("membership");
        QTest::addColumn<QByteArray>("counter");
        const auto row = [](const char* name, const char* membership, const char* counter) {
            QTest::newRow(name) << QByteArray(membership) << QByteArray(counter);
        };
        row("version 2", "0::/user/job\n", "user/job/memory.events");
        row("version 1, beside 2", "4:memory:/pod/a\n1:cpu:/\n0::/user/job\n",
            "memory/pod/a/memory.oom_control");
        row("a container that sees its own group alone", "0::/docker/abc\n", "memory.events");
        row("a longer name than can be seen", "0::/user/job/deeper\n", "user/job/memory.events");
        row("no control groups", "", "/proc/vmstat");
    }
    void theCounterIsThatOfTheProcesssOwnGroup() {
        QFETCH(QByteArray, membership);
        QFETCH(QByteArray, counter);
        for (const char* file :
             {"memory.events", "user/job/memory.events", "memory/pod/a/memory.oom_control"})
            write(file, "oom_kill 0\n");
        write("membership", membership.toStdString());
        QCOMPARE(oomCounterOf(groups_ / "membership", groups_),
                 groups_ / counter.toStdString());  // a full path stays as it is
    }
    void theHostsOwnTopmostGroupHasNone() {
        write("membership", "0::/\n");
        QCOMPARE(oomCounterOf(groups_ / "membership", groups_ / "nothing"),
                 fs::path("/proc/vmstat"));
    }
    void eachKillExplainsOneEndForTenSeconds() {
        if (!fs::exists("/proc/self/cgroup")) QSKIP("there are no control groups here");
        count(3);
        OomKills kills(groups_);
        const pid_t self = ::getpid();
        kills.watch(self);
        kills.look(0s);
        QVERIFY(!kills.explainsOne(self));
        count(4);
        QVERIFY(kills.explainsOne(self));
        QVERIFY(!kills.explainsOne(self));
        count(5);
        kills.look(5s);
        QVERIFY(!kills.explainsOne(self + 1));  // nobody has asked for that one
        kills.look(10s);
        QVERIFY(!kills.explainsOne(self));
    }
};

QTEST_APPLESS_MAIN(OomKillsTest)
#include "tst_oom_kills.moc"
