// SPDX-License-Identifier: Apache-2.0
// Groups of real processes: this program starts itself as their members.
#include <signal.h>
#include <unistd.h>

#include <QProcess>
#include <QTcpServer>
#include <QTcpSocket>
#include <QtTest>
#include <cstdio>
#include <thread>

#include "core/distribution/dataset_shard.h"
#include "core/distribution/devices.h"
#include "core/distribution/initialize.h"
#include "core/distribution/strategy.h"
#include "tests/core/distribution/member_group.h"
#include "tests/support/frozen_thread.h"

using namespace lockstep;
using namespace lockstep::distribution;
using lockstep::tests::freePort;
using lockstep::tests::Group;

namespace {

const QByteArray kSecret = "b8h2kPq7mT0vXc4Zr9wLs1Nf6Yj3Gd5A";

/// What a member prints: who it is, what it sees, what all agree on.
int runMember(const QStringList& arguments) {
    InitializeOptions options;
    options.heartbeatTimeoutSeconds = arguments.contains("patient") ? 8 : 4;
    options.initializationTimeoutSeconds = arguments.contains("short") ? 1 : 30;
    options.insecure = arguments.contains("insecure");
    if (arguments.contains("two-devices")) options.localDeviceIds = {0, 1};
    if (arguments.contains("partition")) options.partitionIndex = 0;
    if (arguments.contains("secret-on-input")) options.secretFd = STDIN_FILENO;
    for (const QString& bind : arguments.filter(QRegularExpression("^0\\.0\\.0\\.0:")))
        options.coordinatorBindAddress = bind.toStdString();
    if (arguments.contains("leave-on-failure"))
        options.onFailure = [](const std::string& sentence) {
            std::printf("told: %s\n", sentence.c_str());
            std::ignore = shutdown();
            std::printf("left: %d\n", isInitialized() ? 0 : 1);
            std::exit(7);
        };
    if (arguments.contains("exit-on-failure"))
        options.onFailure = [](const std::string& sentence) {
            std::printf("told: %s\n", sentence.c_str());
            std::fflush(stdout);
            std::_Exit(7);
        };
    const auto failed = [](const Error& error) {
        std::printf("error: %s\n", error.message.c_str());
        return 2;
    };
    if (auto initialized = initialize(options); !initialized) return failed(initialized.error());
    const auto strategy = MultiWorkerMirroredStrategy::make();
    if (!strategy) return failed(strategy.error());
    const auto shard = shardDataset(*(*strategy)->distribution(), 12);
    std::printf("process %d of %d sees %d devices, shard %d of %d in batches of %zu\n", processId(),
                processCount(), deviceCount("cpu").value_or(-1), shard ? shard->index : -1,
                shard ? shard->count : -1, shard ? shard->batchSize : 0);
    DataParallelOptions two;
    two.devices = {"cpu:0", "cpu:1"};
    const auto twoReplicas = DataParallel::make(two);
    if (!twoReplicas) return failed(twoReplicas.error());
    std::printf("of two replicas' shards it reads %d\n", (*twoReplicas)->dataShardId());
    std::printf("seed %llu\n", static_cast<unsigned long long>(agreedSeed()));
    std::fflush(stdout);
    // a pause: it is killed meanwhile
    if (arguments.contains("wait")) std::this_thread::sleep_for(std::chrono::seconds(60));
    if (auto left = shutdown(); !left) return failed(left.error());
    return isInitialized() ? 3 : 0;
}

std::string errorOf(const Result<void>& result) {
    return result ? std::string("no error") : result.error().message;
}

InitializeOptions alone() {
    InitializeOptions options;
    options.environment = Environment();
    return options;
}

}  // namespace

class InitializeTest : public QObject {
    Q_OBJECT
private slots:
    void aloneItIsAGroupOfOneThatIsFormedOnceAndCanBeLeft() {
        QVERIFY(initialize(alone()).has_value());
        QVERIFY(isInitialized());
        QCOMPARE(errorOf(initialize(alone())),
                 std::string("distributed.initialize should only be called once."));
        QCOMPARE(deviceCount().value(), 1);
        QVERIFY(shutdown().has_value());
        QVERIFY(!isInitialized());
        QVERIFY(shutdown().has_value());  // nothing to do
    }

    void defaultsAreThoseOfTheDocuments() {
        const InitializeOptions options;
        QCOMPARE(options.initializationTimeoutSeconds, 300.0);
        QCOMPARE(options.heartbeatTimeoutSeconds, 100.0);
        QCOMPARE(options.shutdownTimeoutSeconds, 300.0);
        QVERIFY(options.clusterDetectionMethod.empty() && !options.localDeviceIds);
    }

    void aCoordinatorWhoseThreadStandsIsNamedByItsOwnProcess() {
        Group group(2, {"wait", "patient"});
        group.start(0);
        group.start(1);
        QVERIFY(group.allSpeak());
        const auto process = static_cast<pid_t>(group.members[0]->processId());
        const lockstep::tests::FrozenThread held(lockstep::tests::threadNamed(process, "coord"));
        if (!held.isHeld()) QSKIP("this user may not trace processes");
        const auto [status, words] = group.end(0);
        QCOMPARE(status, 1);
        QVERIFY2(words.contains("warning: the coordinator's thread has not run for 3"),
                 qPrintable(words));
        QVERIFY2(words.contains("): the coordinator's thread has not run for 6"),
                 qPrintable(words));
        QCOMPARE(group.end(1).first, 1);
    }

    void theSeedIsTheOneThatWasGiven() {
        InitializeOptions options = alone();
        options.seed = 42;
        QVERIFY(initialize(options).has_value());
        QCOMPARE(agreedSeed(), std::uint64_t(42));
        QVERIFY(shutdown().has_value());
    }

    void whatDoesNotFitTogetherIsOneSentence_data() {
        QTest::addColumn<QString>("addresses");
        QTest::addColumn<int>("processes");
        QTest::addColumn<int>("id");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("a count that differs")
            << "10.0.0.1:1234,10.0.0.2:2345" << 3 << 0
            << "The provided job_addresses ['10.0.0.1:1234', '10.0.0.2:2345'] has 2 jobs, but "
               "num_processes is 3";
        QTest::newRow("an id out of range")
            << "10.0.0.1:1234" << 2 << 2 << "process_id and num_processes must be nonnegative";
        QTest::newRow("no processes") << "10.0.0.1:1234" << 0 << 0 << "positive int. Got 0";
        QTest::newRow("a missing port") << "10.0.0.1" << 2 << 0 << "10.0.0.1";
        QTest::newRow("no safe way to hand over keys")
            << "192.0.2.77:1234" << 2 << 1 << "there is no way to hand them the job's keys";
    }
    void whatDoesNotFitTogetherIsOneSentence() {
        QFETCH(QString, addresses);
        QFETCH(int, processes);
        QFETCH(int, id);
        QFETCH(QString, sentence);
        InitializeOptions options = alone();
        options.jobAddresses = addresses.toStdString();
        options.numProcesses = processes;
        options.processId = id;
        const auto initialized = initialize(options);
        QVERIFY(!initialized);
        QCOMPARE(initialized.error().code, ErrorCode::BadInput);
        QVERIFY2(initialized.error().message.find(sentence.toStdString()) != std::string::npos,
                 initialized.error().message.c_str());
        QVERIFY(!isInitialized());
    }

    void oddOptionsAreRefused() {
        InitializeOptions options = alone();
        options.localDeviceIds = {0, 0};
        QVERIFY(errorOf(initialize(options)).find("one of which is there twice") !=
                std::string::npos);
        options = alone();
        options.heartbeatTimeoutSeconds = 0;
        QVERIFY(errorOf(initialize(options)).starts_with("heartbeat_timeout_seconds must be"));
        options = alone();
        options.partitionIndex = 1;
        options.sliceIndex = 2;
        QVERIFY(errorOf(initialize(options)).find("its deprecated name") != std::string::npos);
    }

    void processesMeetSeeAllDevicesShareTheDataAndAgreeOnASeed_data() {
        QTest::addColumn<bool>("insecure");
        QTest::newRow("with keys") << false;
        QTest::newRow("insecure") << true;
    }
    void processesMeetSeeAllDevicesShareTheDataAndAgreeOnASeed() {
        QFETCH(bool, insecure);
        Group group(3,
                    insecure ? QStringList{"two-devices", "insecure"} : QStringList{"two-devices"});
        for (const int id : {2, 1, 0})
            group.start(id);
        QSet<QString> seeds;
        for (std::size_t member = 0; member < 3; ++member) {
            const auto [status, output] = group.end(member);
            QVERIFY2(status == 0, qPrintable(output));
            QVERIFY2(output.contains(QString("process %1 of 3 sees 6 devices, shard %1 of 3 in "
                                             "batches of 4")
                                         .arg(2 - int(member))),
                     qPrintable(output));
            QVERIFY2(output.contains(QString("of two replicas' shards it reads %1\n")
                                         .arg((2 - int(member)) * 2 / 3)),
                     qPrintable(output));
            seeds.insert(output.split('\n').filter("seed ").value(0));
            QCOMPARE(output.contains("warning: insecure"), insecure);
        }
        QCOMPARE(seeds.size(), 1);
        QCOMPARE(group.leftBehind(), QStringList());
    }

    void aSecretFileLetsProcessesMeetWithoutASharedFile() {
        Group group(3, {});
        group.giveSecret(kSecret, QFile::ReadOwner | QFile::WriteOwner);
        for (const int id : {2, 0, 1})
            group.start(id);
        for (std::size_t member = 0; member < 3; ++member) {
            const auto [status, output] = group.end(member);
            QVERIFY2(status == 0 && !output.contains("insecure"), qPrintable(output));
        }
        QCOMPARE(group.leftBehind().filter(".key"), QStringList());
    }

    void aSecretComesThroughAFileDescriptorToo() {
        Group group(2, {"secret-on-input"});
        for (const int id : {0, 1}) {
            group.start(id);
            group.members.back()->write(kSecret + "\n");
            QVERIFY(group.members.back()->waitForBytesWritten());
            group.members.back()->closeWriteChannel();
        }
        for (std::size_t member = 0; member < 2; ++member) {
            const auto [status, output] = group.end(member);
            QVERIFY2(status == 0, qPrintable(output));
        }
    }

    void whoHasAnotherSecretStaysOutside() {
        Group group(2, {"short"});
        for (const int id : {0, 1}) {
            group.giveSecret(kSecret.repeated(id + 1), QFile::ReadOwner | QFile::WriteOwner);
            group.start(id);
        }
        const auto [status, output] = group.end(0);
        QVERIFY2(status == 2 && output.contains("process 1"), qPrintable(output));
        QVERIFY2(output.contains("did not register within 1 s"), qPrintable(output));
        QCOMPARE(group.end(1).first, 2);
    }

    void aSecretThatIsNoneIsRefused_data() {
        QTest::addColumn<QByteArray>("secret");
        QTest::addColumn<bool>("isPrivate");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("others may read it")
            << kSecret << false << "may be used by others (its mode is 0644)";
        QTest::newRow("short") << QByteArray("letmein") << true << "holds 7 characters";
        QTest::newRow("empty") << QByteArray() << true << "holds 0 characters";
    }
    void aSecretThatIsNoneIsRefused() {
        QFETCH(QByteArray, secret);
        QFETCH(bool, isPrivate);
        QFETCH(QString, sentence);
        Group group(2, {});
        auto mode = QFile::ReadOwner | QFile::WriteOwner;
        if (!isPrivate) mode |= QFile::ReadGroup | QFile::ReadOther;
        group.giveSecret(secret, mode);
        group.start(1);
        const auto [status, output] = group.end(0);
        QCOMPARE(status, 2);
        QVERIFY2(output.contains(sentence) && output.contains("LOCKSTEP_JOB_SECRET_FILE"),
                 qPrintable(output));
        QVERIFY(secret.isEmpty() || !output.contains(QString::fromUtf8(secret)));
    }

    void twoWaysToMeetContradictEachOther() {
        InitializeOptions options = alone();
        options.secretFile = "secret";
        options.insecure = true;
        const std::string error = errorOf(initialize(options));
        QVERIFY2(error.find("four ways to meet: give one") != std::string::npos, error.c_str());
    }

    void aPartitionIsGivenByAllProcessesOrByNone() {
        Group group(3, {});
        group.start(0, {"partition"});
        group.start(1);
        group.start(2, {"partition"});
        for (std::size_t member = 0; member < 3; ++member) {
            const auto [status, output] = group.end(member);
            QCOMPARE(status, 2);
            QVERIFY2(output.contains("error: partition_index must be given by all processes or by "
                                     "none: processes 0, 2 give it, process 1 does not\n"),
                     qPrintable(output));
        }
        QCOMPARE(group.leftBehind(), QStringList());
        Group all(2, {"partition"});
        all.start(0);
        all.start(1);
        QCOMPARE(all.end(0).first, 0);
        QCOMPARE(all.end(1).first, 0);
    }

    void theCoordinatorListensAtTheBindAddressesPortAndIsDialledAtItsOwn() {
        Group group(2, {});
        const int inside = freePort();
        // What forwards the coordinator's port to the one that process 0 listens at.
        QTcpServer outside;
        QVERIFY(outside.listen(QHostAddress::LocalHost, static_cast<quint16>(group.port())));
        int forwarded = 0;
        connect(&outside, &QTcpServer::newConnection, &outside, [&] {
            ++forwarded;
            QTcpSocket* client = outside.nextPendingConnection();
            auto* server = new QTcpSocket(client);
            server->connectToHost(QHostAddress::LocalHost, static_cast<quint16>(inside));
            connect(client, &QTcpSocket::readyRead, server,
                    [client, server] { server->write(client->readAll()); });
            connect(server, &QTcpSocket::readyRead, client,
                    [client, server] { client->write(server->readAll()); });
        });
        group.start(0, {QString("0.0.0.0:%1").arg(inside)});
        group.start(1);
        for (const auto& member : group.members)
            QTRY_COMPARE_WITH_TIMEOUT(member->state(), QProcess::NotRunning, 30'000);
        QVERIFY2(group.end(0).first == 0, "process 0");
        QVERIFY2(group.end(1).first == 0, "process 1");
        QVERIFY(forwarded > 0);
    }

    void unequalNumbersOfDevicesAreNamed() {
        Group group(2, {});
        group.start(0);
        group.start(1, {"two-devices"});
        const auto [status, output] = group.end(0);
        QCOMPARE(status, 2);
        QVERIFY2(output.contains("every process must have the same number of devices: process 0"),
                 qPrintable(output));
    }

    void whoIsMissingIsNamed() {
        Group group(3, {"short"});
        group.start(0);
        const auto [status, output] = group.end(0);
        QCOMPARE(status, 2);
        QVERIFY2(output.contains("processes 1, 2 of 3 did not register within 1 s"),
                 qPrintable(output));
    }

    /// Process 0's key file outlives its SIGKILL; the next start must not be led by it.
    void aStartRightAfterAKillFindsItsOwnProcess0_data() {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("gapMilliseconds");
        for (int round = 0; round < 3; ++round)
            QTest::addRow("both at once, %d", round) << round % 2 << 0;
        QTest::newRow("process 1 half a second before") << 1 << 500;
        QTest::newRow("process 1 long before") << 1 << 4500;
        QTest::newRow("process 0 before") << 0 << 500;
    }
    void aStartRightAfterAKillFindsItsOwnProcess0() {
        QFETCH(int, first);
        QFETCH(int, gapMilliseconds);
        Group group(2, {});
        group.start(0, {"wait"});
        group.start(1, {"wait"});
        QVERIFY(group.allSpeak());
        for (const auto& member : group.members) {
            ::kill(static_cast<pid_t>(member->processId()), SIGKILL);
            member->waitForFinished();
        }
        QVERIFY(!group.leftBehind().isEmpty());
        group.members.clear();
        group.start(first);
        QTest::qWait(gapMilliseconds);  // a pause: how late the other is, is what is tried
        group.start(1 - first);
        for (std::size_t member = 0; member < 2; ++member) {
            const auto [status, output] = group.end(member);
            QVERIFY2(status == 0, qPrintable(output));
        }
    }

    void aDeadProcessEndsTheOthersWithASentenceThatNamesIt() {
        Group group(3, {"wait"});
        for (const int id : {0, 1, 2})
            group.start(id);
        QVERIFY(group.allSpeak());
        ::kill(static_cast<pid_t>(group.members[2]->processId()), SIGKILL);
        for (const std::size_t survivor : {std::size_t(0), std::size_t(1)}) {
            const auto [status, output] = group.end(survivor);
            QCOMPARE(status, 1);
            QVERIFY2(
                output.contains("error: process 2 (") && output.contains("sent no heartbeat for 4"),
                qPrintable(output));
        }
        QCOMPARE(group.leftBehind(), QStringList());
    }

    void whoIsToldOfAFailureMayLeaveTheGroupAndEndTheProgram() {
        Group group(2, {"wait", "leave-on-failure"});
        for (const int id : {0, 1})
            group.start(id);
        QVERIFY(group.allSpeak());
        ::kill(static_cast<pid_t>(group.members[1]->processId()), SIGKILL);
        const auto [status, output] = group.end(0);
        QVERIFY2(status == 7 && output.contains("told: process 1 (") && output.contains("left: 1"),
                 qPrintable(output));
        QCOMPARE(group.leftBehind(), QStringList());
    }

    void whoEndsAtOnceWithTheCoordinatorLeavesNobodyWithoutTheCause() {
        Group group(3, {"wait", "exit-on-failure"});
        for (const int id : {0, 1, 2})
            group.start(id);
        QVERIFY(group.allSpeak());
        ::kill(static_cast<pid_t>(group.members[2]->processId()), SIGKILL);
        for (const std::size_t survivor : {std::size_t(0), std::size_t(1)}) {
            const auto [status, output] = group.end(survivor);
            QVERIFY2(status == 7 && output.contains("told: process 2 ("), qPrintable(output));
        }
    }
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.contains("--member")) return runMember(arguments);
    InitializeTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_initialize.moc"
