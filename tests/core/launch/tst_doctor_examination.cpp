// SPDX-License-Identifier: Apache-2.0
// The doctor's conversation with several hosts, each a service of its own on this machine.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>

#include "core/base/thread.h"
#include "core/launch/doctor/doctor.h"
#include "core/launch/doctor/facts/doctor_requests.h"
#include "core/launch/doctor/facts/host_facts.h"
#include "core/launch/doctor/faults/check_cells.h"
#include "core/launch/doctor/faults/findings.h"
#include "core/launch/doctor/this_host_link.h"
#include "tests/core/launch/healthy_cluster.h"

namespace lockstep {

using launch::Examination;
using launch::HostLink;
using launch::HostState;

namespace {

const std::string kWorker = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";

launch::DoctorTask taskFor(int hosts, const QTemporaryDir& dir) {
    launch::DoctorTask task;
    task.job.launch.method = config::LaunchMethod::Ssh;
    task.job.cluster.numProcesses = hosts;
    task.job.data.dataset = "digits";
    for (int host = 0; host < hosts; ++host) {
        task.job.cluster.jobAddresses.push_back({"127.0.0.1", 0});
        task.job.launch.hosts.push_back("host" + std::to_string(host + 1));
    }
    task.runFolder = dir.path().toStdString() + "/runs";
    task.examineTimeout = std::chrono::seconds(30);
    return task;
}

/// Other runs of this machine, of another test for example, are left aside.
std::vector<launch::HostFinding> faultsOf(const Examination& all) {
    auto faults = launch::findFaults(all);
    std::erase_if(faults, [](const launch::HostFinding& fault) {
        return launch::toString(fault.check) == "leftovers";
    });
    return faults;
}

Result<std::unique_ptr<HostLink>> openHere(const std::string& host) {
    return launch::makeThisHostLink(host, launch::doctorRequests(kWorker));
}

/// Takes everything and answers nothing.
class SilentLink final : public HostLink {
public:
    [[nodiscard]] const std::string& host() const override { return host_; }
    [[nodiscard]] Result<void> send(const wire::ToHost&, Nanos) override { return {}; }
    [[nodiscard]] Result<std::optional<wire::FromHost>> receive(Nanos timeout) override {
        // a pause: a link waits for news as long as it may
        std::this_thread::sleep_for(std::min<Nanos>(timeout, std::chrono::milliseconds(20)));
        return std::nullopt;
    }
    [[nodiscard]] int fd() const override { return -1; }
    [[nodiscard]] Result<std::string> forwardSocket(const std::string&) override {
        return fail(ErrorCode::Unavailable, "not here");
    }

private:
    std::string host_ = "host2";
};

}  // namespace

class TestDoctorExamination : public QObject {
    Q_OBJECT
private slots:
    void everyHostIsExaminedAndReachesEveryOther() {
        const QTemporaryDir dir;
        int views = 0;
        const Examination all = launch::examineHosts(
            taskFor(4, dir), [](const std::string& host, const auto&) { return openHere(host); },
            [&views](const Examination&) { ++views; }, {});
        QVERIFY(all.finished);
        QVERIFY(views >= 1);
        QCOMPARE(all.hosts.size(), std::size_t{4});
        for (const launch::ExaminedHost& host : all.hosts) {
            QVERIFY2(host.state == HostState::Done,
                     host.linkError ? host.linkError->message.c_str() : "");
            QVERIFY(host.facts && host.clock);
            QVERIFY(std::abs(host.clock->seconds) < 1);
            QVERIFY(host.facts->run_folder().shared());
        }
        // 4 x 3 data ports, and the coordinator's by the three others.
        QCOMPARE(all.connections.size(), std::size_t{15});
        for (const launch::TriedConnection& tried : all.connections)
            QCOMPARE(tried.result.outcome(), wire::CONNECTION_REACHED);
        QVERIFY(faultsOf(all).empty());
        QVERIFY(QDir(dir.path()).isEmpty());  // the token is gone
    }

    void aHostThatIsNotReachedHoldsUpNobody() {
        const QTemporaryDir dir;
        const Examination all = launch::examineHosts(
            taskFor(3, dir),
            [](const std::string& host, const auto& say) -> Result<std::unique_ptr<HostLink>> {
                say("connecting to " + host);
                if (host == "host2")
                    return fail(ErrorCode::Unavailable, "host2 refuses connections",
                                "Try it by hand: ssh host2 true");
                return openHere(host);
            },
            {}, {});
        QVERIFY(all.hosts[1].state == HostState::Failed);
        QVERIFY(all.hosts[0].state == HostState::Done && all.hosts[2].state == HostState::Done);
        QCOMPARE(all.connections.size(), std::size_t{3});
        const auto findings = faultsOf(all);
        QCOMPARE(findings.size(), std::size_t{1});
        QCOMPARE(findings[0].command, std::string("ssh host2 true"));
    }

    void aHostThatIsSilentIsTold() {
        const QTemporaryDir dir;
        launch::DoctorTask task = taskFor(2, dir);
        task.greetingTimeout = std::chrono::milliseconds(300);
        const Examination all = launch::examineHosts(
            task,
            [](const std::string& host, const auto&) -> Result<std::unique_ptr<HostLink>> {
                if (host == "host2") return std::make_unique<SilentLink>();
                return openHere(host);
            },
            {}, {});
        QVERIFY(all.hosts[0].state == HostState::Done);
        QVERIFY(all.hosts[1].linkError && all.hosts[1].linkError->code == ErrorCode::Timeout);
    }

    void whatTheFactsHaveNoRoomForIsANoteAndNotOk() {
        Examination all = tests::healthyCluster(2);
        wire::HostFacts& facts = *all.hosts[1].facts;
        while (facts.leftovers_size() < launch::kMostLeftovers)
            facts.add_leftovers()->set_role("member");
        for (int i = 0; i < launch::kMostNames; ++i) {
            const std::string name = "node" + std::to_string(i);
            all.job.cluster.jobAddresses.push_back({name, 0});
            if (facts.lookups_size() >= launch::kMostNames) continue;
            wire::NameLookup& lookup = *facts.add_lookups();
            lookup.set_name(name);
            lookup.set_address("10.78.0.1");
            lookup.set_source("10.77.0.2");
            lookup.set_interface("eth0");
        }
        const auto findings = launch::findFaults(all);
        const auto leftovers = launch::cellOf(all, findings, 1, launch::Check::Leftovers);
        QVERIFY(leftovers.state == launch::CellState::Note);
        QVERIFY(leftovers.detail.find("only the first 256 are examined") != std::string::npos);
        const auto network = launch::cellOf(all, findings, 1, launch::Check::Network);
        QVERIFY(network.state == launch::CellState::Note);
        QVERIFY(network.detail.find("of the job's 1026 names host2 looks up only the first 1024") !=
                std::string::npos);
        QVERIFY(launch::cellOf(all, findings, 0, launch::Check::Leftovers).state ==
                launch::CellState::Ok);
    }

    void aStopEndsItEarly() {
        const QTemporaryDir dir;
        std::stop_source stop;
        const Nanos began = SteadyClock::read();
        const Examination all = launch::examineHosts(
            taskFor(2, dir),
            [&stop](const std::string& host, const auto&) -> Result<std::unique_ptr<HostLink>> {
                if (host == "host2") {
                    stop.request_stop();
                    return fail(ErrorCode::Cancelled, "cancelled");
                }
                return openHere(host);
            },
            {}, stop.get_token());
        QVERIFY(!all.finished);
        QVERIFY(SteadyClock::read() - began < std::chrono::seconds(20));
    }
};

}  // namespace lockstep

QTEST_GUILESS_MAIN(lockstep::TestDoctorExamination)
#include "tst_doctor_examination.moc"
