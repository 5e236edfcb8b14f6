// SPDX-License-Identifier: Apache-2.0
// A spare in the place of a host: what it gets, in the plan and in the job alike.
#include <QtTest>

#include "core/config/document/job_file.h"
#include "core/launch/host/host_replacement.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::launch;

namespace {

config::JobSpec jobOnHosts() {
    auto job = config::JobDocument::parse(config::test::kMinimalJob, "job.toml")->checked().value();
    job.launch.method = config::LaunchMethod::Ssh;
    job.launch.maxRestarts = 1;
    job.cluster.numProcesses = 3;
    job.cluster.jobAddresses = {{"10.0.0.1", 7000}, {"10.0.0.2", 7001}, {"10.0.0.2", 7002}};
    job.launch.spares = {"alice@gpu5:2222", "gpu6"};
    return job;
}

RemoteOrder orderOf(const config::JobSpec& job) {
    RemoteOrder order;
    order.plan = planHosts(job).value();
    order.spares = sparesOf(job);
    order.config.set_job_toml(config::resolvedToml(job));
    return order;
}

config::JobSpec jobOf(const RemoteOrder& order) {
    return config::JobDocument::parse(order.config.job_toml(), "job.toml")->checked().value();
}

}  // namespace

class HostReplacementTest : public QObject {
    Q_OBJECT

private slots:
    void theSpareGetsTheProcessesWithTheirIdsAndPorts() {
        RemoteOrder order = orderOf(jobOnHosts());
        const auto replacement = replaceHost(order, 1, 0);
        QVERIFY(replacement);
        QCOMPARE(order.plan[1].host, std::string("alice@gpu5:2222"));
        QCOMPARE(order.plan[1].address, std::string("gpu5"));
        QCOMPARE(order.plan[1].processes, (std::vector<std::uint32_t>{1, 2}));
        const config::JobSpec job = jobOf(order);
        QCOMPARE(config::toString(job.cluster.jobAddresses[0]), std::string("10.0.0.1:7000"));
        QCOMPARE(config::toString(job.cluster.jobAddresses[1]), std::string("gpu5:7001"));
        QCOMPARE(config::toString(job.cluster.jobAddresses[2]), std::string("gpu5:7002"));
        QCOMPARE(replacement->host(), std::string("10.0.0.2"));
        QCOMPARE(replacement->process_ids_size(), 2);
    }
    void howASpareIsLoggedInToIsKeptWhereTheJobNamesAddressesAlone() {
        RemoteOrder order = orderOf(jobOnHosts());
        QVERIFY(replaceHost(order, 1, 0));
        QCOMPARE(jobOf(order).launch.hosts,
                 (std::vector<std::string>{"10.0.0.1", "alice@gpu5:2222", "alice@gpu5:2222"}));
        const auto plan = planHosts(jobOf(order));  // of a later --resume
        QCOMPARE((*plan)[1].host, std::string("alice@gpu5:2222"));
        QCOMPARE((*plan)[1].address, std::string("gpu5"));
        order = orderOf(jobOnHosts());
        QVERIFY(replaceHost(order, 1, 1));
        QVERIFY(jobOf(order).launch.hosts.empty());  // an address says it all
    }
    void theHostThatWasLostIsTheLastSpareAndKeepsItsAddress() {
        auto job = jobOnHosts();
        job.launch.hosts = {"one", "me@two", "me@two"};
        RemoteOrder order = orderOf(job);
        QVERIFY(replaceHost(order, 1, 0));
        QCOMPARE(jobOf(order).launch.hosts,
                 (std::vector<std::string>{"one", "alice@gpu5:2222", "alice@gpu5:2222"}));
        QCOMPARE(jobOf(order).launch.spares, (std::vector<std::string>{"gpu6", "me@two"}));
        QVERIFY(replaceHost(order, 1, 1));
        QCOMPARE(order.plan[1].host, std::string("me@two"));
        QCOMPARE(order.plan[1].address, std::string("10.0.0.2"));
    }
    void theEvaluatorGoesWithItsHost() {
        auto job = jobOnHosts();
        job.cluster.evaluator = true;
        job.cluster.evaluatorAddress = config::Address{"10.0.0.9", 0};
        RemoteOrder order = orderOf(job);
        const auto replacement = replaceHost(order, 2, 1);
        QVERIFY(replacement && replacement->evaluator() && replacement->process_ids().empty());
        QCOMPARE(jobOf(order).cluster.evaluatorAddress->host, std::string("gpu6"));
        QVERIFY(order.plan[2].evaluator);
    }
    void howASpareIsLoggedInToIsKeptForAnEvaluatorAlone() {
        auto job = jobOnHosts();
        job.cluster.evaluator = true;
        job.cluster.evaluatorAddress = config::Address{"10.0.0.9", 0};
        RemoteOrder order = orderOf(job);
        QVERIFY(replaceHost(order, 2, 0));
        const auto plan = planHosts(jobOf(order)).value();  // of a later --resume
        QCOMPARE(plan.size(), std::size_t{3});
        QCOMPARE(plan[2].host, std::string("alice@gpu5:2222"));
        QCOMPARE(plan[2].address, std::string("gpu5"));
        QVERIFY(plan[2].evaluator && plan[2].processes.empty());
        QCOMPARE(plan[1].host, std::string("10.0.0.2"));
        QVERIFY(replaceHost(order, 2, 0));  // gpu6 in its place, in turn
        QCOMPARE(planHosts(jobOf(order))->at(2).host, std::string("gpu6"));
    }
    void theHostOfProcessZeroStaysTheFirst() {
        RemoteOrder order = orderOf(jobOnHosts());
        QVERIFY(replaceHost(order, 0, 1));
        QCOMPARE(order.plan.front().host, std::string("gpu6"));
        QCOMPARE(config::toString(jobOf(order).cluster.jobAddresses[0]), std::string("gpu6:7000"));
    }
    void gpusAreNeededWhereTheJobComputesOnThem() {
        config::JobSpec job;
        const HostPlan plan{"a", "a", {1, 2}, false};
        job.cluster.devicesPerProcess = 2;
        QCOMPARE(gpusNeeded(plan, job, false), 0);
        QCOMPARE(gpusNeeded(plan, job, true), 4);
        job.cluster.device = config::DeviceKind::Gpu;
        QCOMPARE(gpusNeeded(plan, job, false), 4);
        job.cluster.device = config::DeviceKind::Cpu;
        QCOMPARE(gpusNeeded(plan, job, true), 0);
    }
};

QTEST_GUILESS_MAIN(HostReplacementTest)
#include "tst_host_replacement.moc"
