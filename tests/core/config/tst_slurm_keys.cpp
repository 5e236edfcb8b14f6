// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>

#include "core/config/cluster/cluster_detection.h"
#include "core/config/document/job_file.h"
#include "core/config/lint/slurm_rules.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

/// The findings about a key of [slurm] in a job that is fine otherwise.
std::vector<Finding> findingsOf(const std::string& slurmLines, const std::string& key) {
    const auto document =
        JobDocument::lenient("[launch]\nmethod = \"slurm\"\n[slurm]\n" + slurmLines +
                                 "\n[data]\ndataset = \"digits\"\n[model]\nlayers = [{ type = "
                                 "\"dense\", units = 10 }]\n",
                             "job.toml");
    std::vector<Finding> found;
    for (const Finding& finding : document.findings())
        if (finding.key.starts_with(key)) found.push_back(finding);
    return found;
}

Environment taskEnvironment(int task, int tasks) {
    return Environment({{"SLURM_JOB_ID", "77"},
                        {"SLURM_STEP_NODELIST", "n[1-2]"},
                        {"SLURM_STEP_TASKS_PER_NODE", "2,1"},
                        {"SLURM_NTASKS", std::to_string(tasks)},
                        {"SLURM_PROCID", std::to_string(task)},
                        {"SLURM_LOCALID", "0"},
                        {"LOCKSTEP_SLURM_EVALUATOR", "1"}});
}

}  // namespace

class SlurmKeysTest : public QObject {
    Q_OBJECT
private slots:
    void timeLimitsAreReadAsSbatchReadsThem_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("seconds");
        QTest::newRow("minutes") << "90" << qint64{5400};
        QTest::newRow("minutes:seconds") << "1:30" << qint64{90};
        QTest::newRow("h:m:s") << "2:00:01" << qint64{7201};
        QTest::newRow("days-hours") << "1-12" << qint64{129600};
        QTest::newRow("days-hours:minutes") << "1-0:30" << qint64{88200};
        QTest::newRow("days-h:m:s") << "0-0:0:5" << qint64{5};
        for (const char* bad :
             {"", "0", "-5", "1:2:3:4", "1-", "a", "1:", "1-2-3", "5 ; ls", "1.5"})
            QTest::newRow(bad) << bad << qint64{-1};
    }
    void timeLimitsAreReadAsSbatchReadsThem() {
        QFETCH(QString, text);
        QFETCH(qint64, seconds);
        QCOMPARE(slurmSeconds(text.toStdString()).value_or(-1), seconds);
    }

    void onlyOptionsThatChooseResourcesAreHandedOn_data() {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("refusal");  // part of it; empty: allowed
        QTest::newRow("gres") << "--gres=gpu:2"
                              << "";
        QTest::newRow("flag") << "--exclusive"
                              << "";
        QTest::newRow("blanks stay in their argument") << "--comment=a b"
                                                       << "";
        QTest::newRow("runs a command") << "--wrap=touch x"
                                        << "no option that a job may set";
        QTest::newRow("sets variables") << "--export=LD_PRELOAD=x"
                                        << "no option that a job may set";
        QTest::newRow("writes anywhere") << "--output=/etc/passwd"
                                         << "no option that a job may set";
        QTest::newRow("has a key") << "--partition=main"
                                   << "which is a key of its own";
        QTest::newRow("mistyped") << "--grse=gpu:2"
                                  << "did you mean gres?";
        QTest::newRow("short") << "-n5"
                               << "long form";
        QTest::newRow("a script") << "evil.sh"
                                  << "long form";
        QTest::newRow("control characters") << "--comment=a\nb"
                                            << "long form";
        QTest::newRow("empty") << ""
                               << "long form";
    }
    void onlyOptionsThatChooseResourcesAreHandedOn() {
        QFETCH(QString, option);
        QFETCH(QString, refusal);
        const auto checked = checkSlurmOption(option.toStdString());
        QCOMPARE(checked.has_value(), refusal.isEmpty());
        if (!checked)
            QVERIFY2(QString::fromStdString(checked.error().message + checked.error().remedy)
                         .contains(refusal),
                     checked.error().message.c_str());
    }

    void whatIsWrongIsNamedAtItsKey() {
        QCOMPARE(findingsOf("partition = \"main; ls\"", "slurm.partition").size(), 1U);
        QCOMPARE(findingsOf("account = \"--wrap=x\"", "slurm.account").size(), 1U);
        QCOMPARE(findingsOf("nodes = 9", "slurm.nodes").size(), 1U);
        QCOMPARE(findingsOf("time_limit = \"soon\"", "slurm.time_limit").size(), 1U);
        QCOMPARE(findingsOf("time_limit = \"2\"", "slurm.time_limit").size(), 1U);
        QCOMPARE(findingsOf("options = [\"--mem=1G\", \"--wrap=x\"]", "slurm.options[1]").size(),
                 1U);
        QVERIFY(findingsOf("partition = \"main,gpu\"\naccount = \"lab_1\"\nnodes = 1\n"
                           "time_limit = \"1-0\"\noptions = [\"--mem=1G\"]",
                           "slurm")
                    .empty());
    }

    void theLastTaskIsTheEvaluatorWhereLockstepHasStartedThem() {
        for (int task = 0; task < 3; ++task) {
            const auto facts = detectCluster(taskEnvironment(task, 3), "");
            QVERIFY(facts && *facts);
            const ClusterFacts& cluster = **facts;
            QCOMPARE(cluster.numProcesses->value, 2);
            QCOMPARE(cluster.hosts->value.size(), 2U);
            QVERIFY(cluster.evaluatorStarted && cluster.evaluatorStarted->value);
            QCOMPARE(cluster.role && cluster.role->value == ProcessRole::Evaluator, task == 2);
        }
    }

    void aSingleTaskCannotBeBoth() {
        auto variables = taskEnvironment(0, 1).all();
        variables["SLURM_STEP_NODELIST"] = "n1";
        variables["SLURM_STEP_TASKS_PER_NODE"] = "1";
        QVERIFY(!detectCluster(Environment(variables), ""));
    }
};

QTEST_GUILESS_MAIN(SlurmKeysTest)
#include "tst_slurm_keys.moc"
