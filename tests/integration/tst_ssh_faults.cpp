// SPDX-License-Identifier: Apache-2.0
// Anything between the desktop and the workers dies at any moment. A tied run is over on all hosts
// when the lease has expired and five seconds more; a detached one trains on, and who comes back
// finds its whole history. LOCKSTEP_DEATHS sets how many seeds are played (200 in
// `./dev bench faults --ssh`), LOCKSTEP_SEED plays one alone.
#include <sys/resource.h>

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QtTest>

#include "tests/integration/hosts_place.h"
#include "tests/integration/toll.h"

using namespace lockstep::tests;

namespace {

constexpr int kLeaseSeconds = 3;
constexpr std::chrono::seconds kNothingLeftWithin{kLeaseSeconds + 5};
constexpr int kEpochs = 150;  ///< Half a minute: it must outlive what is done to its watchers.
constexpr int kSteps = kEpochs * 116;

enum class Victim { Ssh, Desktop, Link, Agent, Worker };

struct Death {
    Victim victim = Victim::Ssh;
    bool tied = true;
    int host = 1;  ///< One of the two that train.
    int delayMilliseconds = 0;

    [[nodiscard]] QString name() const {
        static const char* kNames[] = {"ssh", "desktop", "link", "agent", "worker"};
        return kNames[static_cast<int>(victim)];
    }
    [[nodiscard]] QString policy() const { return tied ? "tied" : "detached"; }
    [[nodiscard]] QString words() const {
        return QString("%1 of host %2, %3, after %4 ms")
            .arg(name())
            .arg(host)
            .arg(policy())
            .arg(delayMilliseconds);
    }
    [[nodiscard]] bool endsTheRun() const {
        return tied || victim == Victim::Agent || victim == Victim::Worker;
    }
};

/// Every victim with every policy comes within ten seeds.
Death deathOf(quint32 seed) {
    QRandomGenerator random(seed);
    Death death;
    death.victim = static_cast<Victim>(seed % 5);
    death.tied = seed / 5 % 2 == 0;
    death.host = 1 + static_cast<int>(random.bounded(2));
    death.delayMilliseconds = static_cast<int>(random.bounded(1500));
    return death;
}

int seedCount() {
    const int wanted = qEnvironmentVariableIntValue("LOCKSTEP_DEATHS");
    return wanted > 0 ? wanted : 10;
}

/// The ssh of a program, to a host; 0: there is none.
pid_t sshOf(pid_t parent, int host) {
    const QByteArray address = kHostAddress.arg(host).toUtf8();
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
        QFile status("/proc/" + name + "/stat");
        QFile command("/proc/" + name + "/cmdline");
        if (!name[0].isDigit() || !status.open(QIODevice::ReadOnly)) continue;
        const QByteArray text = status.readAll();
        const auto fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        if (fields.size() < 2 || fields[1].toInt() != parent) continue;
        if (!command.open(QIODevice::ReadOnly)) continue;
        const auto arguments = command.readAll().split('\0');
        if (arguments.first().endsWith("ssh") && arguments.contains(address)) return name.toInt();
    }
    return 0;
}

}  // namespace

class SshFaultsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Workplace> bystander_;
    QList<ProcessIdentity> bystanders_;  ///< Another job's on the same hosts, and nobody's.
    int sleeper_ = 0;

    [[nodiscard]] QList<pid_t> ofTheRun() const {
        QList<pid_t> left;
        for (const pid_t pid : workersOnAllHosts()) {
            const bool other = std::any_of(bystanders_.begin(), bystanders_.end(),
                                           [&](const ProcessIdentity& p) { return p.pid == pid; });
            if (!other) left.append(pid);
        }
        return left;
    }
    [[nodiscard]] bool nothingIsLeft(std::chrono::milliseconds within) const {
        return waitUntil([&] { return ofTheRun().isEmpty(); }, within);
    }
    [[nodiscard]] static QString names(const QList<pid_t>& processes) {
        QStringList found;
        for (const pid_t pid : processes) {
            QFile command(QString("/proc/%1/cmdline").arg(pid));
            if (!command.open(QIODevice::ReadOnly)) continue;
            for (int host = 1; host <= kHostCount; ++host)
                if (workersOn(host).contains(pid))
                    found += QString("%1 on host %2")
                                 .arg(command.readAll().split('\0').value(1))
                                 .arg(host);
        }
        return found.join(", ");
    }
    void strike(const Death& death, const Program& desktop) const {
        switch (death.victim) {
            case Victim::Ssh:
                QVERIFY(sshOf(desktop.pid(), death.host) != 0);
                ::kill(sshOf(desktop.pid(), death.host), SIGKILL);
                return;
            case Victim::Desktop:
                QVERIFY(desktop.signal(SIGKILL));
                return;
            case Victim::Link:
                return cutFromDesktop(death.host);
            case Victim::Agent:
            case Victim::Worker: {
                const QByteArray argument = death.victim == Victim::Agent ? "--agent" : "--member";
                for (const pid_t pid : startedWith(death.host, argument))
                    if (ofTheRun().contains(pid)) {
                        ::kill(pid, SIGKILL);
                        return;
                    }
                QFAIL("there is nobody to kill");
            }
        }
    }

    [[nodiscard]] pid_t agentOfProcess0() const {
        for (const pid_t pid : startedWith(1, "--agent"))
            if (ofTheRun().contains(pid)) return pid;
        return 0;
    }
    [[nodiscard]] pid_t stopAgentOfProcess0() const {
        const pid_t agent = agentOfProcess0();
        return agent > 0 && ::kill(agent, SIGSTOP) == 0 ? agent : 0;
    }

    void playTied(const Workplace& place, const Death& death, Toll& toll) const {
        const auto desktop = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), desktop->errors().constData());
        QTest::qWait(death.delayMilliseconds);  // a pause: as long as the seed says
        strike(death, *desktop);
        if (QTest::currentTestFailed()) return;
        QElapsedTimer since;
        since.start();
        const bool gone = nothingIsLeft(kNothingLeftWithin);
        toll.seconds = static_cast<double>(since.elapsed()) / 1000;
        if (!gone) toll.left = static_cast<int>(ofTheRun().size());
        QVERIFY2(gone, qPrintable("left: " + names(ofTheRun())));
        if (death.victim == Victim::Link) healHost(death.host);
        const Ended ended = desktop->waitForEnd();
        if (death.victim == Victim::Desktop) return;
        toll.unnamed = true;
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        const QRegularExpression named(QString("^process %1 \\((host%2|10\\.77\\.0\\.%2)\\): .+")
                                           .arg(death.host - 1)
                                           .arg(death.host));
        QVERIFY2(named.match(errorsOf(ended)[0]).hasMatch(), ended.words());
        toll.unnamed = false;
    }

    void playDetached(const Workplace& place, const Death& death, Toll& toll) const {
        const Ended launched = place.run({"run", "job.toml", "--run-dir", "run", "--detach"});
        REQUIRE_EXIT(launched, 0);
        auto desktop = place.start({"attach", "run"});
        QVERIFY(waitUntil([&] { return desktop->errors().contains("epoch 1: "); }));
        QTest::qWait(death.delayMilliseconds);  // a pause: as long as the seed says
        // What watches is connected to process 0's host alone.
        Death onWatched = death;
        if (!death.endsTheRun()) onWatched.host = 1;
        strike(onWatched, *desktop);
        if (QTest::currentTestFailed()) return;
        if (death.endsTheRun())
            theRunEnds(*desktop, death, toll);
        else
            theRunGoesOn(place, onWatched, std::move(desktop));
    }
    void theRunEnds(Program& desktop, const Death& death, Toll& toll) const {
        QElapsedTimer since;
        since.start();
        toll.unnamed = true;
        const Ended ended = desktop.waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(errorsOf(ended).value(0).startsWith(QString("process %1 (").arg(death.host - 1)) ||
                     death.victim == Victim::Agent,
                 ended.words());
        toll.unnamed = false;
        const bool gone = nothingIsLeft(std::chrono::seconds(15));
        toll.seconds = static_cast<double>(since.elapsed()) / 1000;
        if (!gone) toll.left = static_cast<int>(ofTheRun().size());
        QVERIFY2(gone, qPrintable("left: " + names(ofTheRun())));
    }
    void theRunGoesOn(const Workplace& place, const Death& death,
                      std::unique_ptr<Program> desktop) const {
        QTest::qWait(1000);  // a pause: a run that ends now would be gone by then
        QVERIFY2(!ofTheRun().isEmpty(), "the run did not go on");
        if (death.victim == Victim::Link) {
            QTest::qWait((kLeaseSeconds + 2) * 1000);  // a pause: longer than the lease
            healHost(death.host);
        }
        if (death.victim == Victim::Desktop) desktop = place.start({"attach", "run"});
        const Ended ended = desktop->waitForEnd(std::chrono::seconds(120));
        REQUIRE_EXIT(ended, 0);
        QVERIFY(nothingIsLeft(std::chrono::seconds(10)));
    }

private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
        // Somebody else's on the same hosts: nothing of it may be touched.
        bystander_ = std::make_unique<Workplace>();
        bystander_->write("job.toml", jobOnHosts(longerJob(1'000'000), {1, 2}));
        REQUIRE_EXIT(bystander_->run({"run", "job.toml", "--run-dir", "run", "--detach"}), 0);
        QVERIFY(waitUntil([] {
            for (const int host : {1, 2})
                if (!startedWith(host, "--host").isEmpty()) return false;
            return true;
        }));
        for (const pid_t pid : workersOnAllHosts())
            bystanders_.append({pid, runningSince(pid)});
        QCOMPARE(bystanders_.size(), 4);
        for (const ProcessIdentity& process :
             bystanders_)  // it shall not take the time of the others
            ::setpriority(PRIO_PROCESS, static_cast<id_t>(process.pid), 19);
        sleeper_ = onHost(1, "setsid sleep 100000 </dev/null >/dev/null 2>&1 & echo $!")
                       .output.trimmed()
                       .toInt();
        QVERIFY(runningSince(sleeper_) != 0);
        bystanders_.append({sleeper_, runningSince(sleeper_)});
    }
    void cleanupTestCase() {
        if (!insideHosts()) return;
        for (const ProcessIdentity& process : bystanders_)
            QVERIFY2(isRunning(process), "a process of another job was touched");
        REQUIRE_EXIT(bystander_->run({"stop", "run"}), 0);
        ::kill(sleeper_, SIGKILL);
    }
    void cleanup() {
        if (!insideHosts()) return;
        for (int host = 1; host <= kHostCount; ++host)
            healHost(host);
        for (const ProcessIdentity& process : bystanders_)
            QVERIFY2(isRunning(process), "a process of another job was touched");
    }

    void aJobThatItsFileDetachesOutlivesEveryConnectionOfItsTerminal() {
        const Workplace place;
        QDir().mkdir(place.path("own"));
        place.write("job.toml", jobOnHosts(longerJob(100'000), {1, 2},
                                           "on_disconnect = \"detached\"\nlease_seconds = " +
                                               QByteArray::number(kLeaseSeconds) + "\n"));
        const auto desktop = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), desktop->errors().constData());
        QVERIFY(waitUntil([&] { return desktop->errors().contains("epoch 1: "); }));
        for (const int host : {2, 1}) {
            strike({Victim::Ssh, false, host, 0}, *desktop);
            if (QTest::currentTestFailed()) return;
            QTest::qWait((kLeaseSeconds + 3) * 1000);  // a pause: longer than the lease
            QCOMPARE(names(ofTheRun()).count("--member"), qsizetype{2});
            QVERIFY2(desktop->isRunning(), desktop->errors().constData());
        }
        QVERIFY(desktop->signal(SIGTERM));
        REQUIRE_EXIT(desktop->waitForEnd(), 3);
        QVERIFY(nothingIsLeft(kNothingLeftWithin));
    }
    void aCutBetweenTwoHostsNamesItsTwoEnds() {
        const Workplace place;
        QDir().mkdir(place.path("own"));
        place.write("job.toml", jobOnHosts(longerJob(100'000), {1, 2, 3},
                                           "on_stuck = \"stop\"\nstuck_grace_seconds = 12\n"));
        const auto desktop = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), desktop->errors().constData());
        for (const int host : {2, 3})
            filter(host, {"-A", "INPUT", "-s", kHostAddress.arg(5 - host), "-j", "DROP"});
        const Ended ended = desktop->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        const QRegularExpression both(
            "process 1 \\(host2\\): it and process 2 \\(host3\\) do not reach each other: all "
            "replicas have waited in all-[a-z]+( of [a-z0-9 ]+)? for [23][0-9] s at step [0-9]+");
        const QString error = errorsOf(ended).join(' ');
        QVERIFY2(both.match(error).hasMatch(), qPrintable(error));
        QVERIFY(nothingIsLeft(kNothingLeftWithin));
    }
    void aStoppedAgentOfProcess0IsNamedKilledAndReplaced() {
        const Workplace place;
        QDir().mkdir(place.path("own"));
        place.write("job.toml", jobOnHosts(longerJob(100'000), {1, 2}, "max_restarts = 1\n"));
        const auto desktop = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), desktop->errors().constData());
        const pid_t first = stopAgentOfProcess0();
        QVERIFY(first > 0);
        QVERIFY2(waitUntil([&] { return desktop->errors().contains("is stopped, by SIGSTOP"); },
                           std::chrono::seconds(10)),
                 desktop->errors().constData());
        QVERIFY2(waitUntil([&] { return desktop->errors().contains("restart 1 of 1"); },
                           std::chrono::seconds(60)),
                 desktop->errors().constData());
        QVERIFY(desktop->errors().contains(
            "its agent was stopped, by SIGSTOP or a debugger, and killed after 1"));
        QVERIFY2(waitUntil(
                     [&] {
                         const pid_t next = agentOfProcess0();
                         return next > 0 && next != first;
                     },
                     std::chrono::seconds(60)),
                 desktop->errors().constData());
        QVERIFY(desktop->signal(SIGTERM));
        REQUIRE_EXIT(desktop->waitForEnd(), 3);
        QVERIFY(nothingIsLeft(kNothingLeftWithin));
    }
    void whoEndsARunByForceEndsItsStoppedAgentToo_data() {
        QTest::addColumn<bool>("detached");
        QTest::newRow("tied") << false;
        QTest::newRow("detached") << true;
    }
    void whoEndsARunByForceEndsItsStoppedAgentToo() {
        QFETCH(const bool, detached);
        const Workplace place;
        QDir().mkdir(place.path("own"));
        place.write("job.toml", jobOnHosts(longerJob(100'000), {1, 2}, "max_restarts = 3\n"));
        QStringList launch{"run", "job.toml", "--run-dir", "run"};
        if (detached) launch += "--detach";
        const auto desktop = place.start(launch);
        QVERIFY2(place.firstCheckpointComes("run"), desktop->errors().constData());
        if (detached) {
            REQUIRE_EXIT(desktop->waitForEnd(), 0);
        }
        QVERIFY(stopAgentOfProcess0() > 0);
        QElapsedTimer since;
        since.start();
        if (detached) {  // a tied one is killed for it, and replaced
            const Ended refused = place.run({"stop", "run"});
            REQUIRE_EXIT(refused, 1);
            QVERIFY2(since.restart() < 20'000, refused.words());
            for (const char* words :
                 {"is stopped, by SIGSTOP or a debugger", "kill -CONT", "--kill"})
                QVERIFY2(refused.errors.contains(words), refused.words());
        }
        REQUIRE_EXIT(place.run({"stop", "run", "--kill"}), 0);
        QVERIFY2(since.elapsed() < 10'000, QByteArray::number(since.elapsed()).constData());
        QVERIFY(nothingIsLeft(std::chrono::seconds(15)));
        if (detached) return;
        const Ended ended = desktop->waitForEnd();
        REQUIRE_EXIT(ended, 3);
        QVERIFY2(ended.errors.contains("ended by force"), ended.words());
    }
    void whateverDies_data() {
        QTest::addColumn<quint32>("seed");
        const bool one = qEnvironmentVariableIsSet("LOCKSTEP_SEED");
        const auto first = static_cast<quint32>(qEnvironmentVariableIntValue("LOCKSTEP_SEED"));
        const auto count = static_cast<quint32>(one ? 1 : seedCount());
        for (quint32 seed = first; seed < first + count; ++seed)
            QTest::addRow("seed %u: %s", seed, qPrintable(deathOf(seed).words())) << seed;
    }
    void whateverDies() {
        QFETCH(const quint32, seed);
        const Death death = deathOf(seed);
        const Workplace place;
        const QByteArray lease = "lease_seconds = " + QByteArray::number(kLeaseSeconds) + "\n";
        // The whole history is looked at where a run goes on, which must not take for ever.
        QDir().mkdir(place.path("own"));
        const int epochs = death.endsTheRun() ? 100'000 : kEpochs;
        place.write("job.toml", jobOnHosts(longerJob(epochs), {1, 2}, lease));
        Toll toll(death.name() + ", " + death.policy());
        if (death.tied)
            playTied(place, death, toll);
        else
            playDetached(place, death, toll);
        if (QTest::currentTestFailed() || death.endsTheRun()) return;
        toll.gaps = !hasEveryStep(place, "run", 2, kSteps);
        QVERIFY(!toll.gaps);
    }
};

LOCKSTEP_HOSTS_TEST_MAIN(SshFaultsTest)
#include "tst_ssh_faults.moc"
