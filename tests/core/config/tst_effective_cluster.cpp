// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/config/document/effective_cluster.h"
#include "core/config/job/cluster_spec.h"
#include "tests/core/config/environments.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

/// The arguments of a call or of a command line.
struct Arguments {
    const char* addresses = nullptr;
    const char* coordinator = nullptr;
    std::optional<int> count{};
    std::optional<int> id{};

    [[nodiscard]] ClusterFacts facts() const {
        const auto origin = [](const char* name) { return Origin{OriginKind::Argument, name}; };
        ClusterFacts facts;
        if (addresses != nullptr)
            facts.jobAddresses = Sourced<std::vector<Address>>{parseAddresses(addresses).value(),
                                                               origin("job_addresses")};
        if (coordinator != nullptr)
            facts.coordinatorAddress =
                Sourced<Address>{parseAddress(coordinator).value(), origin("coordinator_address")};
        if (count) facts.numProcesses = Sourced<int>{*count, origin("num_processes")};
        if (id) facts.processId = Sourced<int>{*id, origin("process_id")};
        return facts;
    }
};

ClusterFacts jobFile(const std::string& lines) {
    return factsOf(parsed(kMinimalJob + "[cluster]\n" + lines));
}

QString told(const Result<ClusterFacts>& facts) {
    if (!facts) return QString::fromStdString("error: " + facts.error().message);
    QStringList lines;
    for (const std::string& line : explain(*facts))
        lines << QString::fromStdString(line);
    return lines.join("\n");
}

QString resolved(const Arguments& arguments, const std::string& job, const Variables& variables,
                 std::string_view method = {}) {
    return told(resolveCluster(arguments.facts(), jobFile(job), Environment(variables), method));
}

Variables keras(const char* addresses, const char* count, const char* id) {
    return {{"KERAS_DISTRIBUTION_JOB_ADDRESSES", addresses},
            {"KERAS_DISTRIBUTION_NUM_PROCESSES", count},
            {"KERAS_DISTRIBUTION_PROCESS_ID", id}};
}

constexpr const char* kTwo = "job_addresses = \"a:1025,b:1025\"\n";

}  // namespace

class EffectiveClusterTest : public QObject {
    Q_OBJECT
private slots:
    void withNothingSaidThereIsOneProcess() {
        QCOMPARE(resolved({}, "", {}), QString("job_addresses 127.0.0.1:0 by default\n"
                                               "coordinator_address 127.0.0.1:0 by default\n"
                                               "num_processes 1 by default\n"
                                               "role worker by default\n"
                                               "process_id 0 by default"));
    }

    void theStrongerSourceHoldsValueByValue() {
        // Argument over job file over environment over detection, each with a value of its own.
        Variables variables = with(keras("c:1025,d:1025", "2", "1"), slurmTask());
        variables["SLURM_STEP_NUM_TASKS"] = "2";
        variables["SLURM_PROCID"] = "0";
        QCOMPARE(resolved({nullptr, nullptr, {}, 0}, kTwo, variables),
                 QString("job_addresses a:1025,b:1025 from job.toml:6\n"
                         "coordinator_address a:1025 from job.toml:6\n"
                         "num_processes 2 from KERAS_DISTRIBUTION_NUM_PROCESSES\n"
                         "role worker by default\n"
                         "process_id 0 from process_id\n"
                         "local_process_id 0 from SLURM_LOCALID\n"
                         "local_device_ids 0 from SLURM_LOCALID\n"
                         "start_id slurm-123456.0-0 from SLURM_JOB_ID"));
        QVERIFY(resolved({"e:1025,f:1025"}, kTwo, variables)
                    .startsWith("job_addresses e:1025,f:1025 from job_addresses\n"));
        QVERIFY(resolved({}, "", variables)
                    .startsWith("job_addresses c:1025,d:1025 from "
                                "KERAS_DISTRIBUTION_JOB_ADDRESSES\n"));
        QVERIFY(resolved({}, "", slurmTask()).contains("process_id 2 from SLURM_PROCID"));
    }

    void aStrongerCoordinatorReplacesAddressZero() {
        const Variables one{{"JAX_COORDINATOR_ADDRESS", "x:9"}};
        QVERIFY(resolved({nullptr, "y:8", {}, 1}, kTwo, one)
                    .startsWith("job_addresses y:8,b:1025 from job.toml:6\n"
                                "coordinator_address y:8 from coordinator_address\n"));
        QVERIFY(resolved({nullptr, nullptr, {}, 1}, kTwo, one)
                    .contains("coordinator_address a:1025 from job.toml:6\n"));
    }

    void aSchedulerFillsAddressesThatAreLeftOpen() {
        const std::string open = "job_addresses = \"127.0.0.1:0,127.0.0.1:0,127.0.0.1:0\"\n";
        const QString three = resolved({}, open, slurmTask());
        QVERIFY2(three.startsWith("coordinator_address node001:62016 from"), qPrintable(three));
        QVERIFY(three.contains("num_processes 3 from job.toml:6"));
        QVERIFY(resolved({}, "job_addresses = [\"127.0.0.1:0\"]\n", slurmTask())
                    .contains("num_processes 3 from SLURM_STEP_NUM_TASKS"));
    }

    void oneAddressBesideACountIsTheCoordinators() {
        const QString said = resolved({nullptr, nullptr, {}, 2},
                                      "job_addresses = \"a:1025\"\nnum_processes = 3\n", {});
        QVERIFY2(said.startsWith("coordinator_address a:1025 from job.toml:6\n"
                                 "num_processes 3 from job.toml:7\n"),
                 qPrintable(said));
        QVERIFY(resolved({"a:1025", nullptr, 3, 2}, "", {})
                    .startsWith("coordinator_address a:1025 from job_addresses\n"));
    }

    void aMalformedLauncherMattersOnlyWhenItIsNeeded() {
        const Variables broken = with(slurmTask(), {{"SLURM_PROCID", "x"}});
        QVERIFY(!resolved({"a:1025,b:1025", nullptr, {}, 1}, "", broken).startsWith("error"));
        QVERIFY(resolved({"a:1025,b:1025", nullptr, {}, 1}, "", broken, "slurm")
                    .startsWith("error: SLURM_PROCID is \"x\""));
        QVERIFY(resolved({}, "", broken).startsWith("error: SLURM_PROCID is \"x\""));
        QVERIFY(!resolved({}, "", broken, "deactivate").startsWith("error"));
    }

    void mistakesAreNamedWithTheirOrigins_data() {
        QTest::addColumn<QString>("said");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("count, argument and job file")
            << resolved({nullptr, nullptr, 3, 0}, kTwo, {})
            << "The provided job_addresses ['a:1025', 'b:1025'] has 2 jobs, but num_processes is 3 "
               "(job_addresses from job.toml:6, num_processes from num_processes)";
        QTest::newRow("count within the environment")
            << resolved({}, "", keras("a:1,b:1", "3", "0"))
            << "The provided job_addresses ['a:1', 'b:1'] has 2 jobs, but num_processes is 3 "
               "(job_addresses from KERAS_DISTRIBUTION_JOB_ADDRESSES, num_processes from "
               "KERAS_DISTRIBUTION_NUM_PROCESSES)";
        QTest::newRow("id out of range")
            << resolved({nullptr, nullptr, {}, 2}, kTwo, {})
            << "process_id and num_processes must be nonnegative, with process_id < num_processes. "
               "Got process_id=2 (from process_id), num_processes=2 (from job.toml:6)";
        QTest::newRow("negative id")
            << resolved({nullptr, nullptr, {}, -1}, kTwo, {})
            << "process_id and num_processes must be nonnegative, with process_id < num_processes. "
               "Got process_id=-1 (from process_id), num_processes=2 (from job.toml:6)";
        QTest::newRow("no count") << resolved({nullptr, nullptr, 0, 0}, "", {})
                                  << "num_processes must be a positive int. Got 0 (from "
                                     "num_processes)";
        QTest::newRow("address without count")
            << resolved({}, "", {{"JAX_COORDINATOR_ADDRESS", "a:1"}})
            << "Number of processes must be defined: coordinator_address is a:1 from "
               "JAX_COORDINATOR_ADDRESS, but nothing says how many processes there are";
        QTest::newRow("id without count")
            << resolved({}, "", {{"KERAS_DISTRIBUTION_PROCESS_ID", "0"}})
            << "Number of processes must be defined: process_id is 0 from "
               "KERAS_DISTRIBUTION_PROCESS_ID, but nothing says how many processes there are";
        QTest::newRow("no address")
            << resolved({nullptr, nullptr, 2, 0}, "", {})
            << "coordinator_address should be defined: there are 2 processes (num_processes from "
               "num_processes), but nothing says where process 0 listens";
        QTest::newRow("no id")
            << resolved({}, kTwo, {})
            << "The process id of the current process must be defined: there are 2 processes "
               "(num_processes from job.toml:6), but nothing says which one this is";
        QTest::newRow("port 0") << resolved({"a:0,b:0", nullptr, {}, 0}, "", {})
                                << "coordinator_address is a:0 from job_addresses, but 2 processes "
                                   "cannot meet at port 0, which stands for any";
        QTest::newRow("fewer started than wanted")
            << resolved({}, "num_processes = 4\n", slurmTask())
            << "num_processes is 4 from job.toml:6, but 3 processes were started, says "
               "SLURM_STEP_NUM_TASKS";
        QTest::newRow("two coordinators") << resolved({"a:1,b:1", "c:1", {}, 0}, "", {})
                                          << "coordinator_address is c:1 from coordinator_address, "
                                             "but the first of job_addresses "
                                             "is a:1 from job_addresses";
        QTest::newRow("environments that differ")
            << resolved({}, "",
                        with(keras("a:1,b:1", "2", "0"), {{"JAX_COORDINATOR_ADDRESS", "c:1"}}))
            << "coordinator_address is a:1 from KERAS_DISTRIBUTION_JOB_ADDRESSES, but c:1 from "
               "JAX_COORDINATOR_ADDRESS";
    }
    void mistakesAreNamedWithTheirOrigins() {
        QFETCH(QString, said);
        QFETCH(QString, sentence);
        QCOMPARE(said, "error: " + sentence);
    }

    void theJobFileSaysWhatItWrites() {
        const ClusterFacts facts = jobFile(
            "job_addresses = \"a:1025,b:1025\"\nevaluator = \"c:1025\"\ndevices_per_process = 2\n"
            "[launch]\nmethod = \"ssh\"\nhosts = [\"u@a\", \"u@b\"]\n");
        QCOMPARE(told(facts), QString("job_addresses a:1025,b:1025 from job.toml:6\n"
                                      "evaluator true from job.toml:7\n"
                                      "evaluator_address c:1025 from job.toml:7\n"
                                      "devices_per_process 2 from job.toml:8\n"
                                      "hosts u@a,u@b from job.toml:11"));
        QCOMPARE(told(factsOf(parsed(kMinimalJob))), QString());
    }

    void aTaskOfTfConfigIsResolved() {
        const auto facts = resolveCluster(
            {}, {},
            Environment(
                Variables{{"TF_CONFIG", R"({"cluster":{"chief":["a:1"],"worker":["b:1","c:1"]},)"
                                        R"("task":{"type":"evaluator","index":0}})"}}));
        QCOMPARE(told(facts), QString("job_addresses a:1,b:1,c:1 from TF_CONFIG\n"
                                      "coordinator_address a:1 from TF_CONFIG\n"
                                      "num_processes 3 from TF_CONFIG\n"
                                      "role evaluator from TF_CONFIG\n"
                                      "process_id 0 from TF_CONFIG\n"
                                      "evaluator true from TF_CONFIG"));
    }
};

QTEST_GUILESS_MAIN(EffectiveClusterTest)
#include "tst_effective_cluster.moc"
