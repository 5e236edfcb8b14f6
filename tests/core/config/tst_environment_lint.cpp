// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/config/document/environment_lint.h"
#include "core/config/lint/address_rules.h"
#include "tests/core/config/environments.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

QString joined(const std::vector<std::string>& lines) {
    QStringList list;
    for (const std::string& line : lines)
        list << QString::fromStdString(line);
    return list.join("\n");
}

/// "warning: MESSAGE", one line a finding.
QString findingsOf(const EnvironmentReport& report) {
    std::vector<std::string> lines;
    for (const Finding& finding : report.findings) {
        if (finding.remedy.empty() || finding.place != "environment") return "no remedy or place";
        lines.push_back(std::string(toString(finding.severity)) + ": " + finding.message);
    }
    return joined(lines);
}

QString found(const Variables& variables) {
    return findingsOf(lintEnvironment(Environment(variables)));
}

EnvironmentReport under(const std::string& jobLines, const Variables& variables) {
    const JobDocument job = parsed(kMinimalJob + jobLines);
    return lintEnvironment(Environment(variables), &job);
}

Variables keras(const std::string& addresses, const char* count, const char* id) {
    return {{"KERAS_DISTRIBUTION_JOB_ADDRESSES", addresses},
            {"KERAS_DISTRIBUTION_NUM_PROCESSES", count},
            {"KERAS_DISTRIBUTION_PROCESS_ID", id}};
}

}  // namespace

class EnvironmentLintTest : public QObject {
    Q_OBJECT
private slots:
    void anOrdinaryEnvironmentSaysNothing() {
        const auto report =
            lintEnvironment(Environment(Variables{{"PATH", "/bin"},
                                                  {"RANK", "general"},
                                                  {"LANG", "C"},
                                                  {"https_proxy", "http://user:secret@proxy"},
                                                  {"JAX_PLATFORMS", "cpu"},
                                                  {"TF_CPP_MIN_LOG_LEVEL", "1"},
                                                  {"KERAS_BACKEND", "jax"}}));
        QVERIFY(report.lines.empty());
        QCOMPARE(findingsOf(report), QString());
    }

    void whatIsSaidIsExplainedWhole() {
        const auto report = lintEnvironment(Environment(keras("a:5000,b:5000", "2", "1")));
        QCOMPARE(joined(report.lines),
                 QString("job_addresses a:5000,b:5000 from KERAS_DISTRIBUTION_JOB_ADDRESSES\n"
                         "coordinator_address a:5000 from KERAS_DISTRIBUTION_JOB_ADDRESSES\n"
                         "num_processes 2 from KERAS_DISTRIBUTION_NUM_PROCESSES\n"
                         "role worker by default\n"
                         "process_id 1 from KERAS_DISTRIBUTION_PROCESS_ID"));
        QCOMPARE(findingsOf(report), QString());
    }

    void doubtfulVariablesAreWarnedOf_data() {
        QTest::addColumn<Variables>("variables");
        QTest::addColumn<QString>("finding");
        QTest::newRow("a mistyped TF_CONFIG")
            << Variables{{"TF_CONFGI", "{}"}}
            << "warning: TF_CONFGI is set, but nothing reads it, did you mean TF_CONFIG?";
        QTest::newRow("a mistyped JAX variable")
            << Variables{{"JAX_COORDINATOR_ADRESS", "a:1"}}
            << "warning: JAX_COORDINATOR_ADRESS is set, but nothing reads it, did you mean "
               "JAX_COORDINATOR_ADDRESS?";
        QTest::newRow("what JAX does not read")
            << Variables{{"JAX_NUM_PROCESSES", "2"}}
            << "warning: JAX_NUM_PROCESSES is set, but JAX has no such variable and nothing reads "
               "it";
        QTest::newRow("a part of torchrun's")
            << Variables{{"MASTER_ADDR", "gpu01"}, {"RANK", "0"}}
            << "warning: torchrun's variables are set in part and count for nothing: MASTER_PORT "
               "and WORLD_SIZE are missing";
        QTest::newRow("an allocation without a step")
            << Variables{{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "2"}}
            << "warning: this is inside a Slurm allocation, but not in a step: the program would "
               "run once and alone";
        QTest::newRow("an empty TF_CONFIG")
            << Variables{{"TF_CONFIG", "{}"}}
            << "warning: TF_CONFIG is empty and says nothing: TensorFlow would train this process "
               "alone";
        QTest::newRow("chief and worker")
            << Variables{{"TF_CONFIG", R"({"cluster":{"chief":["a:5000"],"worker":["b:5000"]},)"
                                       R"("task":{"type":"worker","index":0}})"}}
            << "note: TF_CONFIG has a chief and 1 worker: the chief is process 0, worker 0 is "
               "process 1";
        QTest::newRow("a privileged port")
            << keras("a:80,b:5000", "2", "0")
            << "warning: job_addresses[0] from KERAS_DISTRIBUTION_JOB_ADDRESSES is a:80, a port "
               "below 1024 that only root may open";
        QTest::newRow("a proxy, whose value is not shown")
            << with(keras("a:5000,b:5000", "2", "0"),
                    {{"HTTPS_Proxy", "http://user:secret@proxy"}, {"no_proxy", "*"}})
            << "warning: proxy variable(s) in the environment as distributed setup: HTTPS_Proxy "
               "and "
               "no_proxy. On some systems, this may cause a hang of distributed.initialize";
        QTest::newRow("more started than the environment wants")
            << with(with(slurmTask(), {{"SLURM_STEP_TASKS_PER_NODE", "3"},
                                       {"SLURM_STEP_NODELIST", "n1"},
                                       {"SLURM_NODEID", "0"}}),
                    keras("n1:5000,n1:5001", "2", "1"))
            << "warning: num_processes is 2 from KERAS_DISTRIBUTION_NUM_PROCESSES, but 3 processes "
               "were started, says SLURM_STEP_NUM_TASKS";
        QTest::newRow("hosts with unequal numbers")
            << slurmTask()
            << "note: the hosts from SLURM_STEP_NODELIST have unequal numbers of processes: "
               "node001 "
               "has 2 processes, node002 has 1 process; the fullest host sets the pace of every "
               "step";
        QTest::newRow("loopback among hosts")
            << with(with(slurmTask(), {{"SLURM_STEP_NODELIST", "n[1-3]"},
                                       {"SLURM_STEP_TASKS_PER_NODE", "1(x3)"},
                                       {"SLURM_NODEID", "2"}}),
                    {{"JAX_COORDINATOR_ADDRESS", "localhost:5000"}})
            << "error: coordinator_address from JAX_COORDINATOR_ADDRESS is localhost:5000, which "
               "other hosts of this job cannot reach";
    }
    void doubtfulVariablesAreWarnedOf() {
        QFETCH(Variables, variables);
        QTEST(found(variables), "finding");
    }

    void theDeprecatedNameIsNamed() {
        const auto report = lintEnvironment(Environment(Variables{{"JAX_SLICE_INDEX", "1"}}));
        QVERIFY(findingsOf(report).startsWith(
            "warning: JAX_SLICE_INDEX is deprecated: its name is JAX_PARTITION_INDEX"));
    }

    void aPortThatTheSystemHandsOutIsWarnedOf() {
        const PortRange range = ephemeralPorts();
        QVERIFY(range.first > 0 && range.first <= range.last && range.last <= 65535);
        const std::string port = std::to_string(range.last);
        const QString warning = found(keras("a:" + port + ",b:5000", "2", "0"));
        QVERIFY2(warning.contains("which systems give to other programs' connections"),
                 qPrintable(warning));
    }

    void aBrokenEnvironmentStillTellsWhatItCould() {
        const auto report = lintEnvironment(
            Environment(with(slurmTask(), {{"KERAS_DISTRIBUTION_NUM_PROCESSES", "many"}})));
        QVERIFY(joined(report.lines).contains("process_id 2 from SLURM_PROCID"));
        QVERIFY(findingsOf(report).contains("error: KERAS_DISTRIBUTION_NUM_PROCESSES is \"many\""));
    }

    void theJobFileOverrulesTheEnvironment() {
        const auto report = under("[cluster]\njob_addresses = \"x:5000,y:5000\"\n",
                                  keras("a:5000,b:5000", "2", "1"));
        const QString lines = joined(report.lines);
        QVERIFY2(lines.startsWith("job_addresses x:5000,y:5000 from job.toml:6\n"),
                 qPrintable(lines));
        QVERIFY(lines.contains("process_id 1 from KERAS_DISTRIBUTION_PROCESS_ID"));
    }

    void aJobFileIsNotBlamedForAnEnvironmentThatSaysNothing() {
        const auto report = under("[cluster]\njob_addresses = \"127.0.0.1:0,127.0.0.1:0\"\n", {});
        QVERIFY(report.lines.empty());
        QVERIFY(report.findings.empty());
    }

    void growthIsToldWithTheBatchAndRateThatWouldKeepTheTraining() {
        const Variables four = torchrunRank();
        const auto adam =
            under("[training]\nglobal_batch_size = 32\nlearning_rate = 0.001\n", four);
        QCOMPARE(
            findingsOf(adam),
            QString("note: the job is written for 1 replica and runs on 4: of "
                    "training.global_batch_size 32 each takes 8 samples a step instead of 32"));
        QCOMPARE(
            QString::fromStdString(adam.findings[0].remedy),
            QString("The result stays the same. To keep the samples of a replica, set the "
                    "batch to 128 and training.learning_rate from 0.001 to about 0.002, with a "
                    "warm-up."));
        const auto sgd = under("[training]\noptimizer = \"sgd\"\nlearning_rate = 0.01\n", four);
        QVERIFY(sgd.findings[0].remedy.find("from 0.01 to about 0.04") != std::string::npos);
    }

    void anEnvironmentsWorldMustShareTheBatch() {
        const auto uneven = under("[training]\nglobal_batch_size = 30\n", torchrunRank());
        QVERIFY(findingsOf(uneven).startsWith(
            "warning: training.global_batch_size is 30, which 4 replicas cannot share evenly: 2 of "
            "them take 8 samples a step, the others 7\nnote: the job is written for 1 replica"));
        const auto few = under("[training]\nglobal_batch_size = 3\n", torchrunRank());
        QVERIFY(
            findingsOf(few).startsWith("error: training.global_batch_size is 3, but there are 4 "
                                       "replicas"));
    }
};

QTEST_GUILESS_MAIN(EnvironmentLintTest)
#include "tst_environment_lint.moc"
