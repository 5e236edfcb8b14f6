// SPDX-License-Identifier: Apache-2.0
// lockstepctl doctor against real sshd on hosts of their own addresses, with faults planted one
// after the other: each is named, on the right host, with a way out, and nothing else is.
#include <QCryptographicHash>
#include <QTcpServer>
#include <QTest>
#include <functional>
#include <memory>
#include <utility>

#include "tests/integration/workplace.h"
#include "tests/support/test_hosts.h"

namespace lockstep {

using tests::Ended;
using tests::TestHosts;
using tests::Workplace;

namespace {

constexpr int kHosts = 4;
constexpr std::chrono::minutes kDoctorTimeout{2};

QByteArray jobFor(int hosts, const QString& sshConfig, const QString& data) {
    QByteArray addresses;
    for (int host = 1; host <= hosts; ++host)
        addresses += (host > 1 ? ", \"host" : "\"host") + QByteArray::number(host) +
                     (host == 1 ? ":7777\"" : ":0\"");
    return "[job]\nname = \"examined\"\n[cluster]\nevaluator = false\njob_addresses = [" +
           addresses + "]\n[launch]\nmethod = \"ssh\"\nssh_config = \"" + sshConfig.toUtf8() +
           "\"\n[data]\ndataset = \"mnist\"\ndirectory = \"" + data.toUtf8() +
           "\"\nvalidation_samples = 10\n[model]\nlayers = [{ type = \"dense\", units = 10 }]\n"
           "[training]\nglobal_batch_size = " +
           QByteArray::number(32 * hosts) + "\n";
}

void writeData(const Workplace& place, const QString& folder, const QByteArray& labels) {
    QDir().mkpath(place.path(folder));
    for (const char* name :
         {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte"})
        place.write(folder + '/' + name, name);
    place.write(folder + "/t10k-labels-idx1-ubyte", labels);
}

struct Problem {
    QString host;
    QString otherHost;
    QString check;
    QString severity;
    QString sentence;
    bool hasFix = false;
};

}  // namespace

class TestDoctor : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<Workplace> place_;
    std::unique_ptr<TestHosts> hosts_;
    QJsonObject report_;
    Ended ended_;
    QList<std::function<bool()>> undo_;  ///< What removes the faults that a test has planted.

    void afterwards(std::function<bool()> undo) { undo_.prepend(std::move(undo)); }

    /// Names that hosts know: with a file of its own each, as machines have.
    static bool nameHosts(const TestHosts& hosts, const Workplace& place, int host,
                          int unknown = 0) {
        QByteArray names = "127.0.0.1 localhost\n";
        for (int other = 1; other <= hosts.count(); ++other)
            if (other != unknown)
                names +=
                    TestHosts::address(other).toUtf8() + " host" + QByteArray::number(other) + '\n';
        const QString file = QString("names%1").arg(host);
        place.write(file, names);
        return hosts.mount(host, {"--bind", place.path(file), "/etc/hosts"});
    }

    QList<Problem> examine(const QString& job = "job.toml") {
        QFile::remove(place_->path("report.json"));
        ended_ = place_
                     ->start({"doctor", job, "--json", "report.json", "--run-dir",
                              place_->path("runs/one")})
                     ->waitForEnd(kDoctorTimeout);
        report_ = place_->readJson("report.json").object();
        QList<Problem> problems;
        for (const QJsonValue& one : report_["problems"].toArray())
            problems.append({one["host"].toString(), one["other_host"].toString(),
                             one["check"].toString(), one["severity"].toString(),
                             one["sentence"].toString(),
                             !one["command"].toString().isEmpty() || !one["change"].isUndefined()});
        return problems;
    }

    /// On this machine other tests may run jobs meanwhile, of which the doctor tells.
    QList<Problem> examineHere() {
        QList<Problem> problems = examine("here.toml");
        problems.removeIf([](const Problem& one) { return one.check == "leftovers"; });
        return problems;
    }

    /// The one problem there is, as it was expected; what was found instead.
    QByteArray expectOne(const QString& host, const QString& check, const QString& part,
                         const QString& severity = "fail") {
        const QList<Problem> problems = examine();
        QByteArray found = ended_.words();
        if (problems.size() != 1) return "not one problem\n" + found;
        const Problem& one = problems.first();
        if (one.host != host || one.check != check || one.severity != severity)
            return "another problem\n" + found;
        if (!one.sentence.contains(part)) return "another sentence\n" + found;
        if (!one.hasFix) return "no way out\n" + found;
        if (!ended_.exitedWith(severity == "fail" ? 2 : 0)) return "another status\n" + found;
        qInfo("%s", qPrintable(one.sentence));
        return {};
    }

#define REQUIRE_NAMED(...)                                 \
    do {                                                   \
        const QByteArray instead = expectOne(__VA_ARGS__); \
        QVERIFY2(instead.isEmpty(), instead.constData());  \
    } while (false)

private slots:
    void initTestCase() {
        place_ = std::make_unique<Workplace>();
        writeData(*place_, "data", "seven");
        writeData(*place_, "other-data", "eight");
        QDir().mkpath(place_->path("runs"));
        QDir().mkpath(place_->path("state"));
    }

    void init() {
        if (hosts_ || QByteArray(QTest::currentTestFunction()).startsWith("onThisMachine")) return;
        if (qEnvironmentVariableIsEmpty("LOCKSTEP_LONG_TESTS"))
            QSKIP("takes minutes: ./dev check ssh runs it");
        if (const QByteArray why = TestHosts::missing(); !why.isEmpty()) QSKIP(why);
        hosts_ = std::make_unique<TestHosts>(kHosts);
        place_->write("job.toml", jobFor(kHosts, hosts_->sshConfig(), place_->path("data")));
        for (int host = 1; host <= kHosts; ++host)
            QVERIFY(nameHosts(*hosts_, *place_, host));
    }

    void cleanup() {
        for (const auto& undo : std::exchange(undo_, {}))
            QVERIFY(undo());
    }

    void cleanupTestCase() {
        hosts_.reset();
    }

    void onThisMachineAJobIsReadyWithoutSsh() {
        place_->write("here.toml", tests::kSmallJob);
        const QList<Problem> problems = examineHere();
        REQUIRE_EXIT(ended_, 0);
        QVERIFY2(problems.isEmpty(), ended_.words().constData());
        QVERIFY(ended_.output.contains("1 host is ready"));
        const QJsonObject checks = report_["hosts"][0]["checks"].toObject();
        QCOMPARE(checks["ssh"]["state"].toString(), QString("-"));
        QCOMPARE(checks["disk"]["state"].toString(), QString("ok"));
        QVERIFY(!checks["gpu"]["detail"].toString().isEmpty());  // also why there is none
    }

    void onThisMachineMissingDataStopTheJob() {
        QByteArray job = tests::kSmallJob;
        job.replace("dataset = \"digits\"", "dataset = \"mnist\"\ndirectory = \"nowhere\"");
        place_->write("here.toml", job);
        const QList<Problem> problems = examineHere();
        REQUIRE_EXIT(ended_, 2);
        QCOMPARE(tests::errorsOf(ended_).size(), 1);
        QCOMPARE(problems.size(), 1);
        QCOMPARE(problems.first().check, QString("data"));
        QVERIFY(problems.first().sentence.contains("nowhere") && problems.first().hasFix);
    }

    void onThisMachineABusyPortIsNamedWithItsHolder() {
        QTcpServer holder;
        QVERIFY(holder.listen(QHostAddress::LocalHost));
        QByteArray job = tests::kSmallJob;
        job.replace("[cluster]\n", "[cluster]\njob_addresses = [\"127.0.0.1:" +
                                       QByteArray::number(holder.serverPort()) + "\"]\n");
        place_->write("here.toml", job);
        const QList<Problem> problems = examineHere();
        QCOMPARE(problems.size(), 1);
        QCOMPARE(problems.first().check, QString("coordinator"));
        QVERIFY(problems.first().sentence.contains(
            QString("(pid %1)").arg(QCoreApplication::applicationPid())));
    }

    void aHealthyClusterHasNoFindingAndEveryCellIsKnown() {
        const QList<Problem> problems = examine();
        QVERIFY2(problems.isEmpty(), ended_.words().constData());
        REQUIRE_EXIT(ended_, 0);
        const QJsonArray hosts = report_["hosts"].toArray();
        QCOMPARE(hosts.size(), kHosts);
        for (const QJsonValue& host : hosts) {
            const QJsonObject checks = host["checks"].toObject();
            QCOMPARE(checks.size(), 10);
            for (const QJsonValue& check : checks)
                QVERIFY2(check["state"] == "ok", ended_.words().constData());
            QVERIFY(
                host["checks"]["network"]["detail"].toString().contains("NCCL_SOCKET_IFNAME=eth0"));
        }
        QVERIFY(QDir(place_->path("runs")).isEmpty());  // it has left nothing there
        (void)examine();                                // now that every host has the build
        qInfo("%d hosts that have the build: %.1f s", kHosts, report_["seconds"].toDouble());
    }

    void aKeyThatIsNotAcceptedIsNamed() {
        place_->write("no-keys", "");
        const QString keys = hosts_->path("authorized_keys");
        QVERIFY(hosts_->mount(3, {"--bind", place_->path("no-keys"), keys}));
        afterwards([=, this] { return hosts_->unmount(3, keys); });
        REQUIRE_NAMED("host3", "ssh", "none of this user's keys is accepted");
    }

    void aChangedHostKeyIsNamed() {
        const QString key = hosts_->path("host4");
        QVERIFY(QFile::copy(key, key + ".first"));
        QVERIFY(QFile::remove(key) && QFile::remove(key + ".pub"));
        QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", key});
        afterwards([=, this] {
            return QFile::remove(key) && QFile::rename(key + ".first", key) &&
                   QFile::setPermissions(key, QFile::ReadOwner | QFile::WriteOwner) &&
                   hosts_->restartSshd(4);
        });
        QVERIFY(hosts_->restartSshd(4));
        REQUIRE_NAMED("host4", "ssh", "is not the one that is known");
    }

    void aClosedPortIsNamed() {
        const QStringList rule{"INPUT", "-p",     "tcp",           "--dport",  "7777",
                               "-j",    "REJECT", "--reject-with", "tcp-reset"};
        QVERIFY(hosts_->inside(1, QStringList{"iptables", "-A"} + rule));
        afterwards([this] { return hosts_->inside(1, {"iptables", "-F"}); });
        REQUIRE_NAMED("host1", "coordinator", "no other host reaches");
    }

    void aBlockedPairIsNamed() {
        QVERIFY(hosts_->inside(2, {"iptables", "-A", "INPUT", "-s", "10.77.0.3", "-j", "DROP"}));
        QVERIFY(hosts_->inside(2, {"iptables", "-A", "OUTPUT", "-d", "10.77.0.3", "-j", "DROP"}));
        afterwards([this] { return hosts_->inside(2, {"iptables", "-F"}); });
        REQUIRE_NAMED("host2", "network", "host2 and host3 do not reach each other");
    }

    void aFullDiskIsNamed() {
        // Without the others' folder, the host's runs lie where its user keeps state.
        QVERIFY(hosts_->mount(2, {"-t", "tmpfs", "-o", "size=8m", "tmpfs", place_->path("runs")}));
        QVERIFY(hosts_->mount(2, {"-t", "tmpfs", "-o", "size=8m", "tmpfs", place_->path("state")}));
        QVERIFY(hosts_->setSshd(2, "SetEnv XDG_STATE_HOME=" + place_->path("state").toUtf8()));
        afterwards([this] {
            return hosts_->setSshd(2, {}) && hosts_->unmount(2, place_->path("state")) &&
                   hosts_->unmount(2, place_->path("runs"));
        });
        REQUIRE_NAMED("host2", "disk", "MiB left for the run folder");
    }

    void anUnwritableRunFolderIsNamed() {
        const QString runs = place_->path("runs");
        QVERIFY(hosts_->mount(2, {"--bind", runs, runs}));
        QVERIFY(hosts_->mount(2, {"-o", "remount,ro,bind", runs}));
        afterwards([=, this] { return hosts_->unmount(2, runs); });
        REQUIRE_NAMED("host2", "disk", "Read-only file system");
    }

    void anotherBuildIsNamed() {
        const QDir builds(hosts_->path("cache2") + "/lockstep/builds");
        const QStringList names = builds.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QCOMPARE(names.size(), 1);
        const QString build = builds.filePath(names.first());
        const QString program = build + "/bin/lockstep-worker";
        const QString sums = build + "/SHA256SUMS";
        const QByteArray before = TestHosts::read(program);
        const QByteArray sumsBefore = TestHosts::read(sums);
        QByteArray after = before;
        // As it says itself: the name of the build lies in the program once or more.
        const QByteArray probe = probeOf(program);
        const QByteArray id = QJsonDocument::fromJson(probe)["build"].toString().toUtf8();
        QVERIFY(!id.isEmpty());
        QByteArray other = id;
        other.back() = other.back() == '0' ? '1' : '0';
        after.replace(id, other);
        // Its checksum, too, as where somebody has built it.
        replaceFile(program, after);
        QByteArray newSums = sumsBefore;
        newSums.replace(sumOf(before), sumOf(after));
        QVERIFY(newSums != sumsBefore);
        replaceFile(sums, newSums);
        afterwards([=] {
            replaceFile(program, before);
            replaceFile(sums, sumsBefore);
            return true;
        });
        REQUIRE_NAMED("host2", "build", "has build " + QString::fromUtf8(other));
    }

    void aSkewedClockIsNamed() {
        QVERIFY(hosts_->setSshd(
            4, "SetEnv LD_PRELOAD=" LOCKSTEP_BINARY_DIR "/tests/libskewed_clock.so"));
        afterwards([this] { return hosts_->setSshd(4, {}); });
        REQUIRE_NAMED("host4", "clock", "90.0 s ahead", "warn");
    }

    void missingDataAreNamed() {
        QVERIFY(hosts_->mount(3, {"-t", "tmpfs", "tmpfs", place_->path("data")}));
        afterwards([this] { return hosts_->unmount(3, place_->path("data")); });
        REQUIRE_NAMED("host3", "data", "are missing");
    }

    void differentDataAreNamed() {
        QVERIFY(hosts_->mount(3, {"--bind", place_->path("other-data"), place_->path("data")}));
        afterwards([this] { return hosts_->unmount(3, place_->path("data")); });
        REQUIRE_NAMED("host3", "data", "differ from those on host1");
    }

    void aProxyIsNamedWithoutItsPassword() {
        QVERIFY(hosts_->setSshd(2, "SetEnv http_proxy=http://user:secret@10.77.0.99:3128"));
        afterwards([this] { return hosts_->setSshd(2, {}); });
        REQUIRE_NAMED("host2", "network", "http_proxy is set on host2", "warn");
        QVERIFY(!ended_.output.contains("secret") &&
                !place_->read("report.json").contains("secret"));
    }

    void aNameThatDoesNotResolveIsNamed() {
        QVERIFY(hosts_->unmount(3, "/etc/hosts"));
        QVERIFY(nameHosts(*hosts_, *place_, 3, 4));
        afterwards(
            [this] { return hosts_->unmount(3, "/etc/hosts") && nameHosts(*hosts_, *place_, 3); });
        REQUIRE_NAMED("host3", "network", "does not know the name \"host4\"");
    }

    void aMissingRouteIsNamed() {
        QVERIFY(hosts_->inside(2, {"ip", "route", "add", "unreachable", "10.77.0.4/32"}));
        afterwards([this] {
            return hosts_->inside(2, {"ip", "route", "del", "unreachable", "10.77.0.4/32"});
        });
        REQUIRE_NAMED("host2", "network", "has no route to host4 (10.77.0.4)");
    }

    void aBusyPortIsNamedWithItsHolder() {
        QProcess holder;
        holder.start("ip", {"netns", "exec", "lsh1", "python3", "-c",
                            "import socket, sys\ns = socket.create_server(('10.77.0.1', 7777))\n"
                            "print('there', flush=True)\nsys.stdin.read()"});
        QVERIFY(holder.waitForReadyRead(10'000));
        REQUIRE_NAMED("host1", "coordinator", "is held by python3 (pid");
        holder.closeWriteChannel();
        QVERIFY(holder.waitForFinished(10'000));
    }

    void aRunThatIsLeftIsNamedWithItsPort() {
        QByteArray job = tests::longerJob(10'000);
        job.replace("[cluster]\n", "[cluster]\njob_addresses = [\"10.77.0.2:7901\"]\n");
        place_->write("earlier.toml", job);
        const auto run = place_->startProgram(
            "ip", {"netns", "exec", "lsh2", LOCKSTEP_BINARY_DIR "/bin/lockstepctl", "run",
                   "earlier.toml", "--detach", "--run-dir", place_->path("earlier")});
        REQUIRE_EXIT(run->waitForEnd(), 0);
        afterwards([this] {
            return place_->run({"stop", place_->path("earlier")}).exitedWith(0) &&
                   place_->nothingRunsSoon();
        });
        REQUIRE_NAMED("host2", "leftovers", "and holds port 7901", "warn");
    }

    void sixteenHostsTakeLessThanTenSeconds() {
        hosts_.reset();
        hosts_ = std::make_unique<TestHosts>(16);
        place_->write("sixteen.toml", jobFor(16, hosts_->sshConfig(), place_->path("data")));
        for (int host = 1; host <= 16; ++host)
            QVERIFY(nameHosts(*hosts_, *place_, host));
        QVERIFY2(examine("sixteen.toml").isEmpty(), ended_.words().constData());
        qInfo("16 hosts, the build copied to each: %.1f s", report_["seconds"].toDouble());
        QVERIFY2(examine("sixteen.toml").isEmpty(), ended_.words().constData());
        qInfo("16 hosts that have the build: %.1f s", report_["seconds"].toDouble());
        // All of them share this machine's processors, with whatever else runs.
        QVERIFY2(report_["seconds"].toDouble() < 30, ended_.words().constData());
    }

private:
    static QByteArray probeOf(const QString& program) {
        QProcess process;
        process.start(program, {"--probe"});
        process.waitForFinished(30'000);
        return process.readAllStandardOutput();
    }
    static QByteArray sumOf(const QByteArray& bytes) {
        return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
    }
    /// A new file under the name: the old one may be running.
    static void replaceFile(const QString& path, const QByteArray& bytes) {
        const QFileDevice::Permissions permissions = QFile::permissions(path);
        QFile::remove(path);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(path));
        file.close();
        QFile::setPermissions(path, permissions);
    }
};

}  // namespace lockstep

QTEST_GUILESS_MAIN(lockstep::TestDoctor)
#include "tst_doctor.moc"
