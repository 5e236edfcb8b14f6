// SPDX-License-Identifier: Apache-2.0
// A launch without a host that stays lost: who is left, with which numbers, and why it ends where
// those cannot go on.
#include <QtTest>

#include "core/config/document/job_file.h"
#include "core/launch/host/fewer_hosts.h"
#include "core/launch/host/host_replacement.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::launch;

namespace {

using Ids = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

/// Processes 0 and 3 on a, 1 on b, 2 on c.
config::JobSpec jobOnHosts() {
    auto job = config::JobDocument::parse(config::test::kMinimalJob, "job.toml")->checked().value();
    job.launch.method = config::LaunchMethod::Ssh;
    job.launch.maxRestarts = 2;
    job.launch.leastProcesses = 1;
    job.cluster.numProcesses = 4;
    job.cluster.jobAddresses = {{"a", 7000}, {"b", 7001}, {"c", 7002}, {"a", 7003}};
    return job;
}

RemoteOrder orderOf(const config::JobSpec& job) {
    RemoteOrder order;
    order.plan = planHosts(job).value();
    order.spares = sparesOf(job);
    order.config.set_job_toml(config::resolvedToml(job));
    order.config.add_failures_before();
    return order;
}

config::JobSpec jobOf(const RemoteOrder& order) {
    return config::JobDocument::parse(order.config.job_toml(), "job.toml")->checked().value();
}

Texts addressesOf(const config::JobSpec& job) {
    Texts texts;
    for (const config::Address& address : job.cluster.jobAddresses)
        texts.push_back(config::toString(address));
    return texts;
}

std::string refusalOf(const config::JobSpec& job, std::size_t host) {
    const auto fewer = orderWithout(orderOf(job), host);
    return fewer ? "none" : fewer.error().message;
}

}  // namespace

class FewerHostsTest : public QObject {
    Q_OBJECT

private slots:
    void thoseThatAreLeftAreNumberedAnewInTheirOrder() {
        const auto fewer = orderWithout(orderOf(jobOnHosts()), 1);
        QVERIFY(fewer);
        QCOMPARE(fewer->plan.size(), std::size_t{2});
        QCOMPARE(fewer->plan[0].host, std::string("a"));
        QCOMPARE(fewer->plan[0].processes, (Ids{0, 2}));
        QCOMPARE(fewer->plan[1].host, std::string("c"));
        QCOMPARE(fewer->plan[1].processes, (Ids{1}));
        const config::JobSpec job = jobOf(*fewer);
        QCOMPARE(job.cluster.numProcesses, 3);
        QCOMPARE(addressesOf(job), (Texts{"a:7000", "c:7002", "a:7003"}));
        const auto again = planHosts(job);  // of a later --resume
        QCOMPARE((*again)[0].processes, (Ids{0, 2}));
        QCOMPARE((*again)[1].processes, (Ids{1}));
    }
    void theHostOfTheNextProcessIsProcessZerosWhereThatIsLost() {
        const auto fewer = orderWithout(orderOf(jobOnHosts()), 0);
        QVERIFY(fewer);
        QCOMPARE(fewer->plan[0].host, std::string("b"));
        QCOMPARE(fewer->plan[0].processes, (Ids{0}));
        QVERIFY(fewer->plan[0].evaluator);
        QCOMPARE(fewer->plan[1].host, std::string("c"));
        QCOMPARE(addressesOf(jobOf(*fewer)), (Texts{"b:7001", "c:7002"}));
    }
    void destinationsGoWithTheirProcesses() {
        config::JobSpec job = jobOnHosts();
        job.launch.hosts = {"me@a", "me@b", "me@c", "me@a"};
        QCOMPARE(jobOf(*orderWithout(orderOf(job), 1)).launch.hosts,
                 (Texts{"me@a", "me@c", "me@a"}));
        QCOMPARE(jobOf(*orderWithout(orderOf(job), 0)).launch.hosts, (Texts{"me@b", "me@c"}));
    }
    void whereOnlyTheCoordinatorHasAnAddressItIsThatOfItsNewHost() {
        config::JobSpec job = jobOnHosts();
        job.cluster.jobAddresses = {{"a", 7000}};
        job.launch.hosts = {"me@a", "me@b", "me@c", "me@a"};
        QCOMPARE(addressesOf(jobOf(*orderWithout(orderOf(job), 1))), (Texts{"a:7000"}));
        QCOMPARE(addressesOf(jobOf(*orderWithout(orderOf(job), 0))), (Texts{"b:0"}));
    }
    void anEvaluatorOnTheLostHostGoesToProcessZeros() {
        config::JobSpec job = jobOnHosts();
        job.cluster.evaluatorAddress = config::Address{"e", 7100};
        job.launch.hosts = {"a", "b", "c", "a", "me@e"};
        const auto fewer = orderWithout(orderOf(job), 3);
        QVERIFY(fewer);
        QVERIFY(fewer->plan[0].evaluator);
        QCOMPARE(jobOf(*fewer).cluster.numProcesses, 4);
        QVERIFY(jobOf(*fewer).cluster.evaluator && !jobOf(*fewer).cluster.evaluatorAddress);
        QCOMPARE(jobOf(*fewer).launch.hosts, (Texts{"a", "b", "c", "a"}));
        const wire::HostLeftBehind& left = fewer->config.left_hosts(0);
        QVERIFY(left.evaluator() && left.process_ids().empty());
        const auto another = orderWithout(orderOf(job), 1);  // it stays where it is
        QCOMPARE(jobOf(*another).launch.hosts, (Texts{"a", "c", "a", "me@e"}));
        QVERIFY(jobOf(*another).cluster.evaluatorAddress);
    }
    void whoIsLeftBehindIsNoted() {
        const auto fewer = orderWithout(orderOf(jobOnHosts()), 2);
        const auto fewest = orderWithout(*fewer, 0);
        QCOMPARE(fewest->config.left_hosts_size(), 2);
        const wire::HostLeftBehind& first = fewest->config.left_hosts(0);
        QCOMPARE(first.host(), std::string("c"));
        QCOMPARE(first.process_ids(0), 2U);
        QCOMPARE(first.restart(), 1U);
        QCOMPARE(first.processes_left(), 3U);
        QCOMPARE(first.processes_launched(), 4U);
        const wire::HostLeftBehind& second = fewest->config.left_hosts(1);
        QCOMPARE(second.host(), std::string("a"));
        QCOMPARE(second.process_ids_size(), 2);
        QCOMPARE(second.processes_left(), 1U);
        QCOMPARE(second.processes_launched(), 4U);
    }
    void aSpareThatNeverJoinedLeavesTheHostBehindWhosePlaceItShouldHaveTaken() {
        config::JobSpec job = jobOnHosts();
        job.launch.spares = {"s"};
        RemoteOrder order = orderOf(job);
        auto replacement = replaceHost(order, 1, 0);
        QVERIFY(replacement);
        replacement->set_restart(1);
        *order.config.add_replaced_hosts() = *replacement;
        const auto fewer = orderWithout(order, 1);
        QVERIFY(fewer);
        QVERIFY(fewer->config.replaced_hosts().empty());
        QCOMPARE(fewer->config.left_hosts(0).host(), std::string("b"));
    }
    void whereTooFewWouldBeLeftItSaysHowMany() {
        config::JobSpec job = jobOnHosts();
        job.launch.leastProcesses = 3;
        QCOMPARE(refusalOf(job, 1), std::string("none"));
        QCOMPARE(refusalOf(job, 0),
                 std::string("2 processes would be left, and launch.least_processes is 3"));
    }
    void theLastHostIsNotLeftBehind() {
        config::JobSpec job = jobOnHosts();
        job.cluster.numProcesses = 1;
        job.cluster.jobAddresses = {{"a", 7000}};
        QCOMPARE(refusalOf(job, 0), std::string("no other host would be left"));
    }
    /// Where each process has parts of its own, another number of them cannot share a batch alike.
    void whatLintRefusesOfTheRestIsSaid() {
        RemoteOrder order = orderOf(jobOnHosts());
        config::JobSpec job = jobOnHosts();
        job.launch.leastProcesses = 0;  // the key itself would be refused
        job.data.autoShard = config::AutoShard::Off;
        job.training.globalBatchSize = 64;
        order.config.set_job_toml(config::resolvedToml(job));
        const auto fewer = orderWithout(order, 1);
        QVERIFY(!fewer);
        QVERIFY2(fewer.error().message.starts_with(
                     "with 3 of 4 processes the job is refused: data.auto_shard is \"off\", so "
                     "each of 3 processes takes its part"),
                 fewer.error().message.c_str());
    }
    void howManyAreEnoughIsReadFromTheJob() {
        QCOMPARE(leastProcessesOf(config::resolvedToml(jobOnHosts())), 1);
        QCOMPARE(leastProcessesOf("not a job"), 0);
    }
    void theKeyIsNamedOnlyWhereItCouldBeAskedFor() {
        config::JobSpec job = jobOnHosts();
        QVERIFY(!couldAskForFewer(config::resolvedToml(job)));
        job.launch.leastProcesses = 0;
        QVERIFY(couldAskForFewer(config::resolvedToml(job)));
        job.data.autoShard = config::AutoShard::File;
        QVERIFY(!couldAskForFewer(config::resolvedToml(job)));
        QVERIFY(!couldAskForFewer("not a job"));
    }
};

QTEST_GUILESS_MAIN(FewerHostsTest)
#include "tst_fewer_hosts.moc"
