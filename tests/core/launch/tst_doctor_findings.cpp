// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "core/config/document/job_file.h"
#include "core/launch/doctor/faults/check_cells.h"
#include "tests/core/launch/healthy_cluster.h"

namespace lockstep {

using config::Severity;
using launch::CellState;
using launch::Check;
using launch::Examination;
using launch::HostFinding;
using launch::PortPurpose;
using tests::breakConnections;
using tests::healthyCluster;

namespace {

std::vector<HostFinding> faultsOf(const Examination& all) {
    return launch::findFaults(all);
}

QByteArray words(const std::vector<HostFinding>& findings) {
    QByteArray text;
    for (const HostFinding& finding : findings)
        text += QByteArray::fromStdString(finding.host + ": " + finding.sentence + " | " +
                                          finding.command + "\n");
    return text.isEmpty() ? "no finding" : text;
}

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

wire::NameLookup& lookupOf(Examination& all, int host, int name) {
    return *all.hosts[std::size_t(host)].facts->mutable_lookups(name);
}

launch::PortTest& portOf(Examination& all, std::size_t host, PortPurpose purpose) {
    return *std::ranges::find(all.hosts[host].ports, purpose, &launch::PortTest::purpose);
}

}  // namespace

/// One finding of this host and check, with a way out.
#define REQUIRE_ONE(findings, where, what)                                             \
    do {                                                                               \
        QVERIFY2((findings).size() == 1, words(findings).constData());                 \
        QCOMPARE((findings)[0].host, std::string(where));                              \
        QVERIFY2((findings)[0].check == (what), words(findings).constData());          \
        QVERIFY2(!(findings)[0].command.empty() || (findings)[0].change.has_value() || \
                     !(findings)[0].advice.empty(),                                    \
                 words(findings).constData());                                         \
    } while (false)

class TestDoctorFindings : public QObject {
    Q_OBJECT
private slots:
    void aHealthyClusterHasNoFinding() {
        for (const int hosts : {1, 2, 4, 16}) {
            const auto findings = faultsOf(healthyCluster(hosts));
            QVERIFY2(findings.empty(), words(findings).constData());
        }
    }

    void sparesAreExaminedBehindTheHostsOfTheJob() {
        const Examination all = healthyCluster(2, {"me@host3", "host4"});
        QCOMPARE(all.hosts.size(), std::size_t{4});
        QVERIFY(!all.hosts[1].isSpare && all.hosts[2].isSpare && all.hosts[3].isSpare);
        QCOMPARE(all.hosts[2].address, std::string("host3"));
        QCOMPARE(all.hosts[2].processes.size(), std::size_t{1});
        const auto findings = faultsOf(all);
        QVERIFY2(findings.empty(), words(findings).constData());
    }
    void whatASpareLacksDoesNotStopTheJob() {
        Examination all = healthyCluster(2, {"host3"});
        all.hosts[2].facts->mutable_data()->set_present(false);
        all.hosts[2].facts->mutable_data()->add_missing("train-images-idx3-ubyte");
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host3", Check::Data);
        QVERIFY(findings[0].severity == config::Severity::Warning);
    }
    void aSpareWithoutGpusIsNamedWhereTheOthersHaveSome() {
        Examination all = healthyCluster(2, {"host3"});
        for (const std::size_t host : {0, 1}) {
            all.hosts[host].facts->mutable_gpu()->set_state("usable");
            all.hosts[host].facts->mutable_gpu()->add_gpus();
        }
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host3", Check::Gpu);
        QVERIFY(has(findings[0].sentence, "it cannot take the place of a host that has"));
    }

    void whatIsNotExaminedYetIsNotFound() {
        launch::DoctorTask task;
        task.job = tests::clusterJob(4);
        const Examination nothing = launch::beginningOf(task);
        QVERIFY(faultsOf(nothing).empty());
        QVERIFY(launch::cellOf(nothing, {}, 0, Check::Data).state == CellState::Pending);
    }

    void aFailedConnectionIsToldInSshsWordsWithItsCommand() {
        Examination all = healthyCluster(3);
        all.hosts[1].state = launch::HostState::Failed;
        all.hosts[1].facts.reset();
        all.hosts[1].clock.reset();
        all.hosts[1].linkError = Error{ErrorCode::Unavailable, "the host key of host2 has changed",
                                       "Forget the old one: ssh-keygen -R host2"};
        std::erase_if(all.connections,
                      [](const auto& one) { return one.from == 1 || one.to == 1; });
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Ssh);
        QVERIFY(has(findings[0].sentence, "has changed"));
        QCOMPARE(findings[0].command, std::string("ssh-keygen -R host2"));
        QVERIFY(launch::cellOf(all, findings, 1, Check::Ssh).state == CellState::Failure);
        QVERIFY(launch::cellOf(all, findings, 1, Check::Data).state == CellState::Unknown);
        QVERIFY(launch::cellOf(all, findings, 0, Check::Data).state == CellState::Ok);
    }

    void theWordsOfAHostAreNoCommand() {
        Examination all = healthyCluster(3);
        all.hosts[1].wasReached = true;
        all.hosts[1].linkError =
            Error{ErrorCode::Unavailable, "it is full", "Do this: ssh -o ProxyCommand=evil host2"};
        QVERIFY(faultsOf(all)[0].command.empty());
        all.hosts[1].wasReached = false;
        all.hosts[1].linkError->code = ErrorCode::PeerLost;  // its service's last words
        QVERIFY(faultsOf(all)[0].command.empty());
    }

    void anotherBuildIsNamedWithBoth() {
        Examination all = healthyCluster(3);
        all.hosts[2].facts->set_build("build-2");
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host3", Check::Build);
        QVERIFY(has(findings[0].sentence, "build-1") && has(findings[0].sentence, "build-2"));
    }

    void aWorkerThatDoesNotStartAndAnOldGlibcAreBuildFaults() {
        Examination all = healthyCluster(2);
        all.hosts[1].facts->set_build("");
        REQUIRE_ONE(faultsOf(all), "host2", Check::Build);
        all = healthyCluster(2);
        all.hosts[1].facts->set_glibc("2.31");
        REQUIRE_ONE(faultsOf(all), "host2", Check::Build);
        all.hosts[1].facts->set_glibc("2.41");
        QVERIFY(faultsOf(all).empty());
    }

    void aSkewedClockIsAWarningBeyondItsUncertainty() {
        Examination all = healthyCluster(2);
        all.hosts[1].clock = launch::ClockOffset{-90.0, 0.01};
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Clock);
        QVERIFY(findings[0].severity == Severity::Warning);
        QVERIFY(has(findings[0].sentence, "90.0 s behind"));
        all.hosts[1].clock = launch::ClockOffset{1.8, 1.0};  // a slow way, perhaps a right clock
        QVERIFY(faultsOf(all).empty());
    }

    void missingDataAreCopiedFromAHostThatHasThem() {
        Examination all = healthyCluster(3);
        wire::DataFacts& data = *all.hosts[2].facts->mutable_data();
        data.set_present(false);
        data.add_missing("train-images-idx3-ubyte");
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host3", Check::Data);
        QCOMPARE(findings[0].command,
                 std::string("ssh host1 'tar -C /data/mnist -cf - .' | ssh host3 'mkdir -p "
                             "/data/mnist && tar -C /data/mnist -xf -'"));
    }

    void differentDataAreFoundAtTheMinority() {
        Examination all = healthyCluster(3);
        all.hosts[0].facts->mutable_data()->set_fingerprint("00bb");
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host1", Check::Data);
        QCOMPARE(findings[0].otherHost, std::string("host2"));
    }

    void aFullDiskIsToldWithWhatIsNeeded() {
        Examination all = healthyCluster(2);
        all.hosts[1].facts->mutable_run_folder()->set_free_bytes(8 << 20);
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Disk);
        QVERIFY(has(findings[0].sentence, "8 MiB left"));
    }

    void aDiskThatHasNoRoomForTheCopyOfTheRunIsNamedAsThat() {
        Examination all = healthyCluster(3);
        all.remote = true;
        all.job.checkpoint.copies = 2;
        all.hosts[1].facts->mutable_run_folder()->set_free_bytes(8 << 20);
        auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Disk);
        QVERIFY(
            has(findings[0].sentence,
                "host2 keeps a copy of the run (checkpoint.copies = 2) in /data/runs, has 8 MiB "
                "left there"));
        QVERIFY(has(findings[0].advice, "the checkpoints lie on host1 alone"));
        all.hosts[1].facts->mutable_run_folder()->set_shared(true);  // no copy is made
        findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Disk);
        QVERIFY(has(findings[0].sentence, "8 MiB left for the run folder"));
    }

    void anUnwritableRunFolderSaysWhy() {
        Examination all = healthyCluster(2);
        wire::FolderFacts& folder = *all.hosts[1].facts->mutable_run_folder();
        folder.set_writable(false);
        folder.set_error("Read-only file system");
        folder.set_read_only(true);
        auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Disk);
        QVERIFY(has(findings[0].command, "remount,rw"));
        folder.set_read_only(false);
        folder.set_error("Permission denied");
        findings = faultsOf(all);
        QVERIFY(has(findings[0].command, "sudo chown ada /data/runs"));
    }

    void tooLittleMemoryIsAFault() {
        Examination all = healthyCluster(2);
        all.hosts[0].facts->set_memory_available_bytes(32 << 20);
        REQUIRE_ONE(faultsOf(all), "host1", Check::Memory);
    }

    void aBusyCoordinatorPortNamesItsHolderAndOffersAFreeOne() {
        Examination all = healthyCluster(2);
        auto& port = portOf(all, 0, PortPurpose::Coordinator);
        port.opened->set_port(0);
        port.opened->set_problem(wire::LISTEN_IN_USE);
        port.opened->set_holder("python3 (pid 41)");
        port.opened->set_holder_pid(41);
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host1", Check::Coordinator);
        QVERIFY(has(findings[0].sentence, "7777") && has(findings[0].sentence, "python3 (pid 41)"));
        QCOMPARE(findings[0].command, std::string("ssh host1 'kill 41'"));
        QCOMPARE(findings[0].change->value, std::string("[\"host1:0\", \"host2:0\"]"));
    }

    void aChangeOfTheJobFileIsOneThatItTakes() {
        Examination all = healthyCluster(2);
        portOf(all, 0, PortPurpose::Coordinator).opened->set_port(0);
        portOf(all, 0, PortPurpose::Coordinator).opened->set_problem(wire::LISTEN_IN_USE);
        const auto findings = faultsOf(all);
        auto document = config::JobDocument::lenient(
            "[cluster]\njob_addresses = [\"host1:7777\", \"host2:0\"]  # mine\n", "job.toml");
        QVERIFY(document.set(findings[0].change->key, findings[0].change->value).has_value());
        QCOMPARE(document.spec().cluster.jobAddresses[0].port, 0);
        QVERIFY(has(document.text(), "# mine"));
    }

    void anAddressOfAnotherMachineIsToldOnce() {
        Examination all = healthyCluster(2);
        for (launch::PortTest& port : all.hosts[0].ports) {
            port.opened->set_port(0);
            port.opened->set_problem(wire::LISTEN_NOT_OWN_ADDRESS);
        }
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host1", Check::Coordinator);
        QVERIFY(has(findings[0].change->value, "10.77.0.1:7777"));
    }

    void aNameThatAHostDoesNotKnowComesWithTheAddressThatOthersKnow() {
        Examination all = healthyCluster(3);
        lookupOf(all, 1, 2).clear_address();
        lookupOf(all, 1, 2).set_error("Name or service not known");
        breakConnections(all, 1, 2, wire::CONNECTION_UNKNOWN_NAME);
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Network);
        QVERIFY(has(findings[0].sentence, "host3"));
        QVERIFY(has(findings[0].command, "10.77.0.3 host3"));
        QCOMPARE(findings[0].change->value,
                 std::string("[\"host1:7777\", \"host2:0\", \"10.77.0.3:0\"]"));
    }

    void aMissingRouteIsToldOnceAndNotAgainAsAFailedConnection() {
        Examination all = healthyCluster(3);
        lookupOf(all, 1, 2).clear_source();
        lookupOf(all, 1, 2).set_error("No route to host");
        breakConnections(all, 1, 2, wire::CONNECTION_NO_ROUTE);
        breakConnections(all, 2, 1, wire::CONNECTION_TIMED_OUT);  // no answer finds the way back
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Network);
        QCOMPARE(findings[0].otherHost, std::string("host3"));
        QVERIFY(has(findings[0].sentence, "no route to host3 (10.77.0.3)"));
    }

    void aHostThatTakesItsOwnNameForLoopbackIsFound() {
        Examination all = healthyCluster(2);
        lookupOf(all, 0, 0).set_address("127.0.1.1");
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host1", Check::Network);
        QVERIFY(has(findings[0].sentence, "127.0.1.1"));
    }

    void aClosedCoordinatorPortIsAFaultOfItsHost() {
        Examination all = healthyCluster(4);
        breakConnections(all, -1, 0, wire::CONNECTION_REFUSED, PortPurpose::Coordinator);
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host1", Check::Coordinator);
        QVERIFY(has(findings[0].sentence, "no other host reaches"));
        QVERIFY(has(findings[0].command, "--dport 7777"));
    }

    void aHostThatNobodyReachesIsToldOnceForAllItsPorts() {
        Examination all = healthyCluster(4);
        breakConnections(all, -1, 0, wire::CONNECTION_TIMED_OUT);
        REQUIRE_ONE(faultsOf(all), "host1", Check::Network);
    }

    void aHostThatReachesNobodyIsItsOwnFault() {
        Examination all = healthyCluster(4);
        breakConnections(all, 2, -1, wire::CONNECTION_TIMED_OUT);
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host3", Check::Network);
        QVERIFY(has(findings[0].sentence, "reaches no other host"));
    }

    void aBlockedPairNamesBothOnce() {
        Examination all = healthyCluster(4);
        breakConnections(all, 1, 2, wire::CONNECTION_TIMED_OUT);
        breakConnections(all, 2, 1, wire::CONNECTION_TIMED_OUT);
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Network);
        QCOMPARE(findings[0].otherHost, std::string("host3"));
        QVERIFY(has(findings[0].sentence, "do not reach each other"));
    }

    void aStrangerAtAPortIsNotTakenForOurs() {
        Examination all = healthyCluster(2);
        breakConnections(all, 1, 0, wire::CONNECTION_STRANGER, PortPurpose::Coordinator);
        REQUIRE_ONE(faultsOf(all), "host1", Check::Coordinator);
    }

    void aProxyThatCatchesTheJobsHostsIsAWarning() {
        Examination all = healthyCluster(2);
        all.hosts[1].facts->add_proxies("http_proxy");
        auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Network);
        QVERIFY(findings[0].severity == Severity::Warning);
        QVERIFY(has(findings[0].command, "no_proxy=host1,host2"));
        all.hosts[1].facts->add_unproxied("host1");
        all.hosts[1].facts->add_unproxied("host2");
        findings = faultsOf(all);
        QVERIFY2(findings.empty(), words(findings).constData());
    }

    void processesOfEarlierRunsAreToldByPidAndPorts() {
        Examination all = healthyCluster(2);
        wire::Leftover& process = *all.hosts[1].facts->add_leftovers();
        process.set_pid(4242);
        process.set_role("member");
        process.set_orphaned(true);
        process.add_ports(7001);
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host2", Check::Leftovers);
        QVERIFY(has(findings[0].sentence, "pid 4242") && has(findings[0].sentence, "port 7001"));
        QCOMPARE(findings[0].command, std::string("ssh host2 'kill 4242'"));
    }

    void aJobThatDemandsGpusIsToldWhyThereAreNone() {
        Examination all = healthyCluster(2);
        all.job.cluster.device = config::DeviceKind::Gpu;
        const auto findings = faultsOf(all);
        QCOMPARE(findings.size(), std::size_t{2});
        QVERIFY(has(findings[0].sentence, "there is no NVIDIA driver"));
        QCOMPARE(findings[0].change->key, std::string("cluster.device"));
    }

    void unequalAndBusyGpusAreWarnings() {
        Examination all = healthyCluster(2);
        for (launch::ExaminedHost& host : all.hosts) {
            host.facts->mutable_gpu()->set_state("usable");
            host.facts->mutable_gpu()->set_cuda_version(13000);
            wire::GpuFigures& gpu = *host.facts->mutable_gpu()->add_gpus();
            gpu.set_name("NVIDIA H200");
            gpu.set_total_bytes(139 * tests::kGibibyte);
        }
        QVERIFY2(faultsOf(all).empty(), words(faultsOf(all)).constData());
        all.hosts[1].facts->mutable_gpu()->set_cuda_version(12040);
        REQUIRE_ONE(faultsOf(all), "host2", Check::Gpu);
        all.hosts[1].facts->mutable_gpu()->set_cuda_version(13000);
        all.hosts[0].facts->mutable_gpu()->mutable_gpus(0)->set_used_bytes(40 * tests::kGibibyte);
        const auto findings = faultsOf(all);
        REQUIRE_ONE(findings, "host1", Check::Gpu);
        QVERIFY(has(findings[0].sentence, "40.0 of 139.0 GiB"));
    }

    void oneHostWithoutAGpuIsToldWhereOthersHaveOne() {
        Examination all = healthyCluster(2);
        all.hosts[0].facts->mutable_gpu()->set_state("usable");
        all.hosts[0].facts->mutable_gpu()->add_gpus()->set_total_bytes(tests::kGibibyte);
        REQUIRE_ONE(faultsOf(all), "host2", Check::Gpu);
    }

    void errorsComeFirst() {
        Examination all = healthyCluster(3);
        all.hosts[0].clock = launch::ClockOffset{90, 0.01};
        all.hosts[2].facts->set_build("other");
        const auto findings = faultsOf(all);
        QCOMPARE(findings.size(), std::size_t{2});
        QCOMPARE(findings[0].host, std::string("host3"));
    }

    void commandsGoThroughTheJobsSshConfigurationAndAreQuoted() {
        Examination all = healthyCluster(2);
        all.job.launch.sshConfig = "my config";
        all.hosts[1].facts->set_build("other");
        all.hosts[0].linkError = Error{ErrorCode::Unavailable, "no", "Do it: ssh-copy-id host1"};
        QCOMPARE(faultsOf(all)[0].command, std::string("ssh-copy-id -F 'my config' host1"));
        all.hosts[0].linkError.reset();
        QCOMPARE(faultsOf(all)[0].command,
                 std::string("ssh -F 'my config' host2 'rm -rf .cache/lockstep'"));
    }

    void cellsTellWhatWasFound() {
        const Examination all = healthyCluster(3);
        const auto network = launch::cellOf(all, {}, 1, Check::Network);
        QCOMPARE(network.word, std::string("eth0"));
        QVERIFY(has(network.detail, "NCCL_SOCKET_IFNAME=eth0"));
        QVERIFY(has(network.detail, "host3 (10.77.0.3) by eth0, which is in its network"));
        const auto gpu = launch::cellOf(all, {}, 1, Check::Gpu);
        QVERIFY(has(gpu.detail, "there is no NVIDIA driver on this machine"));
    }
};

}  // namespace lockstep

QTEST_GUILESS_MAIN(lockstep::TestDoctorFindings)
#include "tst_doctor_findings.moc"
