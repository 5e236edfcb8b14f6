// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/launch/host/host_plan.h"

using namespace lockstep;
using namespace lockstep::launch;

namespace {

config::JobSpec jobOf(std::vector<config::Address> addresses, std::vector<std::string> hosts = {},
                      int processes = 0) {
    config::JobSpec job;
    job.cluster.evaluator = false;
    const std::size_t named = std::max(addresses.size(), hosts.size());
    job.cluster.numProcesses = processes > 0 ? processes : static_cast<int>(named);
    job.cluster.jobAddresses = std::move(addresses);
    job.launch.hosts = std::move(hosts);
    return job;
}

/// "a@x:0,2+e b:1": each host, its address where it differs, its processes, its evaluator.
std::string words(const Result<std::vector<HostPlan>>& plans) {
    if (!plans) return plans.error().message;
    std::string text;
    for (const HostPlan& plan : *plans) {
        text += text.empty() ? "" : " ";
        text += plan.host + (plan.address == plan.host ? "" : "@" + plan.address) + ":";
        for (const std::uint32_t id : plan.processes)
            text += (text.back() == ':' ? "" : ",") + std::to_string(id);
        text += plan.evaluator ? "+e" : "";
    }
    return text;
}

}  // namespace

class HostPlanTest : public QObject {
    Q_OBJECT
private slots:
    void everyHostOccursOnceAndThatOfProcess0First() {
        QCOMPARE(words(planHosts(jobOf({{"b", 1}, {"a", 2}, {"b", 3}}))), std::string("b:0,2 a:1"));
    }
    void destinationsOfSshStandBesideTheAddressesByWhichHostsReachEachOther() {
        QCOMPARE(words(planHosts(jobOf({{"10.0.0.1", 0}, {"10.0.0.2", 0}}, {"me@gate", "two"}))),
                 std::string("me@gate@10.0.0.1:0 two@10.0.0.2:1"));
        QCOMPARE(words(planHosts(jobOf({}, {"one", "two", "one"}))),
                 std::string("one@:0,2 two@:1"));
    }
    void aProcessWithoutAHostIsNamed() {
        const auto plans = planHosts(jobOf({}, {"one", "two"}, 3));
        QCOMPARE(words(plans), std::string("process 2 has no host"));
        QCOMPARE(plans.error().code, ErrorCode::BadInput);
        QVERIFY(plans.error().remedy.find("launch.hosts") != std::string::npos);
        // Where destinations are named at all, an address is no stand-in for one.
        QCOMPARE(words(planHosts(jobOf({{"a", 0}, {"b", 0}}, {"one"}))),
                 std::string("process 1 has no host"));
    }
    void theEvaluatorIsWhereItsAddressSaysElseOnTheFirstHost() {
        config::JobSpec job = jobOf({{"a", 0}, {"b", 0}});
        job.cluster.evaluator = true;
        QCOMPARE(words(planHosts(job)), std::string("a:0+e b:1"));
        job.cluster.evaluatorAddress = config::Address{"b", 0};
        QCOMPARE(words(planHosts(job)), std::string("a:0 b:1+e"));
        job.cluster.evaluatorAddress = config::Address{"c", 0};
        QCOMPARE(words(planHosts(job)), std::string("a:0 b:1 c:+e"));
        job.launch.hosts = {"one", "two"};
        job.cluster.evaluatorAddress = config::Address{"b", 0};
        QCOMPARE(words(planHosts(job)), std::string("one@a:0 two@b:1+e"));
    }
    void anotherAgentGetsItsProcessesAndAFailureANumber() {
        HostPlan plan{"b", "b", {3, 5}, true};
        const wire::OtherAgent other = otherAgentOf(plan);
        QCOMPARE(other.process_ids_size(), 2);
        QCOMPARE(other.process_ids(1), 5U);
        QVERIFY(other.start_evaluator());
        QCOMPARE(plan.firstProcess(), 3U);
        plan.processes.clear();
        QCOMPARE(plan.firstProcess(), 0U);
    }
};

QTEST_GUILESS_MAIN(HostPlanTest)
#include "tst_host_plan.moc"
