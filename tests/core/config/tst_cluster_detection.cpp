// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/config/cluster/cluster_detection.h"
#include "core/config/document/effective_cluster.h"
#include "tests/core/config/environments.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

/// What was detected, as a user is told it, one line each.
QString told(const Variables& variables, std::string_view method = {}) {
    const auto facts = detectCluster(Environment(variables), method);
    if (!facts) return QString::fromStdString("error: " + facts.error().message);
    if (!*facts) return "nothing";
    QStringList lines;
    for (const std::string& line : explain(**facts))
        lines << QString::fromStdString(line);
    return lines.join("\n");
}

Variables slurm(const char* jobId, const char* nodes) {
    Variables variables =
        with(slurmTask(), {{"SLURM_JOB_ID", jobId}, {"SLURM_STEP_NODELIST", nodes}});
    return without(variables, "SLURM_STEP_TASKS_PER_NODE");
}

}  // namespace

class ClusterDetectionTest : public QObject {
    Q_OBJECT
private slots:
    void schedulersLeadToTheCoordinatorsOfJax_data() {
        QTest::addColumn<Variables>("variables");
        QTest::addColumn<QString>("address");
        QTest::newRow("one node") << slurm("123456", "node001") << "node001:62016";
        QTest::newRow("two nodes") << slurm("123456", "node001,host2") << "node001:62016";
        QTest::newRow("range") << slurm("123456", "node[001-0015],host2") << "node001:62016";
        QTest::newRow("mixed") << slurm("123456", "node[001,007-015],host2") << "node001:62016";
        QTest::newRow("job 0") << slurm("0", "n") << "n:61440";
        QTest::newRow("job 4095") << slurm("4095", "n") << "n:65535";
        QTest::newRow("job 4096") << slurm("4096", "n") << "n:61440";
        // The next three are those that JAX itself reads wrongly.
        QTest::newRow("suffix") << slurm("0", "n[1-2]-ib") << "n1-ib:61440";
        QTest::newRow("two brackets") << slurm("0", "rack[1-2]-node[3-4]") << "rack1-node3:61440";
        QTest::newRow("one in brackets") << slurm("0", "node[001]") << "node001:61440";
        QTest::newRow("Open MPI") << openMpiRank() << "10.96.0.1:62624";
        QTest::newRow("Open MPI over IPv6")
            << with(openMpiRank(),
                    {{"OMPI_MCA_orte_hnp_uri", "1531576320.0;tcp6://[fe80::a%eth0,fd00::2]:34911"}})
            << "[fe80::a%eth0]:62624";
        QTest::newRow("Open MPI 5") << with(without(openMpiRank(), "OMPI_MCA_orte_hnp_uri"),
                                            {{"PMIX_NAMESPACE", "prterun-login-2-4097@1"}})
                                    << "login-2:61441";
        QTest::newRow("JAX_COORDINATOR_PORT")
            << with(slurmTask(), {{"JAX_COORDINATOR_PORT", "777"}}) << "node001:777";
        QTest::newRow("torchrun") << torchrunRank() << "gpu01:29500";
        QTest::newRow("torchrun with a store of its own")
            << with(torchrunRank(), {{"TORCHELASTIC_USE_AGENT_STORE", "True"}}) << "gpu01:62268";
        QTest::newRow("Kubernetes") << kubernetesPod() << "digits-0.digits:55527";
        QTest::newRow("Kubernetes with a service")
            << with(kubernetesPod(), {{"LOCKSTEP_K8S_SUBDOMAIN", "train"}})
            << "digits-0.train:55527";
        QTest::newRow("agent") << agentProcess() << "10.0.0.1:4567";
    }
    void schedulersLeadToTheCoordinatorsOfJax() {
        QFETCH(Variables, variables);
        const auto facts = detectCluster(Environment(variables));
        QVERIFY2(facts && *facts, facts ? "nothing" : facts.error().message.c_str());
        QVERIFY((*facts)->coordinatorAddress.has_value());
        QTEST(QString::fromStdString(toString((*facts)->coordinatorAddress->value)), "address");
    }

    void everyLauncherIsUnderstoodWhole_data() {
        QTest::addColumn<Variables>("variables");
        QTest::addColumn<QString>("lines");
        QTest::newRow("slurm")
            << slurmTask()
            << "coordinator_address node001:62016 from SLURM_STEP_NODELIST and SLURM_JOB_ID\n"
               "num_processes 3 from SLURM_STEP_NUM_TASKS\n"
               "process_id 2 from SLURM_PROCID\n"
               "local_process_id 0 from SLURM_LOCALID\n"
               "local_device_ids 0 from SLURM_LOCALID\n"
               "hosts node001,node001,node002 from SLURM_STEP_NODELIST\n"
               "start_id slurm-123456.0-0 from SLURM_JOB_ID";
        QTest::newRow("ompi") << openMpiRank()
                              << "coordinator_address 10.96.0.1:62624 from OMPI_MCA_orte_hnp_uri\n"
                                 "num_processes 2 from OMPI_COMM_WORLD_SIZE\n"
                                 "process_id 1 from OMPI_COMM_WORLD_RANK\n"
                                 "local_process_id 1 from OMPI_COMM_WORLD_LOCAL_RANK\n"
                                 "local_device_ids 1 from OMPI_COMM_WORLD_LOCAL_RANK\n"
                                 "hosts 10.96.0.1,10.96.0.1 from OMPI_COMM_WORLD_LOCAL_SIZE\n"
                                 "start_id ompi-1531576320-34911 from OMPI_MCA_orte_hnp_uri";
        QTest::newRow("pmi on one host")
            << Variables{{"PMI_RANK", "1"},
                         {"PMI_SIZE", "2"},
                         {"MPI_LOCALRANKID", "1"},
                         {"MPI_LOCALNRANKS", "2"}}
            << "coordinator_address 127.0.0.1:61440 from MPI_LOCALNRANKS\n"
               "num_processes 2 from PMI_SIZE\n"
               "process_id 1 from PMI_RANK\n"
               "local_process_id 1 from MPI_LOCALRANKID\n"
               "local_device_ids 1 from MPI_LOCALRANKID\n"
               "hosts 127.0.0.1,127.0.0.1 from MPI_LOCALNRANKS";
        QTest::newRow("pmi elsewhere")
            << Variables{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}
            << "num_processes 2 from PMI_SIZE\nprocess_id 1 from PMI_RANK";
        QTest::newRow("torchrun") << torchrunRank()
                                  << "coordinator_address gpu01:29500 from MASTER_ADDR and "
                                     "MASTER_PORT\n"
                                     "num_processes 4 from WORLD_SIZE\n"
                                     "process_id 3 from RANK\n"
                                     "local_process_id 1 from LOCAL_RANK\n"
                                     "local_device_ids 1 from LOCAL_RANK\n"
                                     "start_id torchrun-run-7-2 from TORCHELASTIC_RUN_ID";
        QTest::newRow("k8s") << kubernetesPod()
                             << "coordinator_address digits-0.digits:55527 from HOSTNAME\n"
                                "num_processes 4 from LOCKSTEP_K8S_PARALLELISM\n"
                                "process_id 2 from JOB_COMPLETION_INDEX\n"
                                "start_id k8s-digits-0b1c from LOCKSTEP_K8S_JOB_UID";
        QTest::newRow("agent")
            << with(agentProcess(), {{"LOCKSTEP_ROLE", "evaluator"}, {"LOCKSTEP_START_ID", "a/b"}})
            << "coordinator_address 10.0.0.1:4567 from LOCKSTEP_COORDINATOR_ADDRESS\n"
               "num_processes 2 from LOCKSTEP_NUM_PROCESSES\n"
               "role evaluator from LOCKSTEP_ROLE\n"
               "process_id 1 from LOCKSTEP_PROCESS_ID\n"
               "start_id a-b from LOCKSTEP_START_ID";
        QTest::newRow("an allocation without a step")
            << without(slurmTask(), "SLURM_STEP_NODELIST") << "nothing";
    }
    void everyLauncherIsUnderstoodWhole() {
        QFETCH(Variables, variables);
        QTEST(told(variables), "lines");
    }

    void theFirstOfSeveralLaunchersCountsAndANamedOneBeforeIt() {
        Variables all;
        for (const auto& part : {slurmTask(), openMpiRank(), torchrunRank(), kubernetesPod()})
            all = with(all, part);
        QVERIFY(told(all).contains("OMPI_COMM_WORLD_RANK"));
        QVERIFY(told(all, "slurm").contains("SLURM_PROCID"));
        QVERIFY(told(all, "torchrun").contains("from RANK"));
        QVERIFY(told(all, "k8s").contains("JOB_COMPLETION_INDEX"));
        QCOMPARE(told(all, "deactivate"), QString("nothing"));
        QVERIFY(told(with(all, agentProcess())).contains("LOCKSTEP_PROCESS_ID"));
    }

    void mpi4pyWorksUnderAnyMpi() {
        const Variables rank{{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}};
        QCOMPARE(told(rank, "mpi4py"), told(rank, "pmi"));
        QCOMPARE(told(openMpiRank(), "mpi4py"), told(openMpiRank(), "ompi"));
        QVERIFY(told(openMpiRank(), "mpi4py").contains("from OMPI_COMM_WORLD_RANK"));
        QCOMPARE(told(slurmTask(), "mpi4py"), told(slurmTask(), "slurm"));
        const Variables torchrun{
            {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}, {"WORLD_SIZE", "2"}, {"RANK", "0"}};
        const QString absent = told(torchrun, "mpi4py");
        QVERIFY2(absent.startsWith("error: mpi4py is supported but not functional in this "
                                   "environment: neither Open MPI's variables"),
                 qPrintable(absent));
    }

    void aStartOfSlurmHasItsOwnId() {
        const auto idOf = [](const Variables& more) {
            const auto facts = detectCluster(Environment(with(slurmTask(), more)));
            return facts.value().value().startId->value;
        };
        QCOMPARE(idOf({}), std::string("slurm-123456.0-0"));
        QCOMPARE(idOf({{"SLURM_STEP_ID", "3"}, {"SLURM_RESTART_COUNT", "2"}}),
                 std::string("slurm-123456.3-2"));
    }

    void aStartWithoutAnIdOfItsOwnHasNone() {
        const Variables unnamed = with(torchrunRank(), {{"TORCHELASTIC_RUN_ID", "none"}});
        QVERIFY(!detectCluster(Environment(unnamed)).value()->startId);
        const Variables pod = without(kubernetesPod(), "LOCKSTEP_K8S_JOB_UID");
        QVERIFY(!detectCluster(Environment(pod)).value()->startId);
    }

    void aProcessThatSeesOneDeviceTakesThat() {
        const Variables bound = with(openMpiRank(), {{"CUDA_VISIBLE_DEVICES", "3"}});
        QCOMPARE(detectCluster(Environment(bound)).value()->localDeviceIds->value,
                 (std::vector<int>{0}));
        const Variables free = with(openMpiRank(), {{"CUDA_VISIBLE_DEVICES", "2,3"}});
        QCOMPARE(detectCluster(Environment(free)).value()->localDeviceIds->value,
                 (std::vector<int>{1}));
    }

    void hostsAreOnlyGivenWhereTheyAreCertain() {
        const auto hosts = [](const Variables& more) {
            const auto facts = detectCluster(Environment(with(slurmTask(), more)));
            return facts.value()->hosts ? facts.value()->hosts->value.size() : 0U;
        };
        QCOMPARE(hosts({}), std::size_t{3});
        QCOMPARE(hosts({{"SLURM_DISTRIBUTION", "cyclic"}}), std::size_t{0});
        QCOMPARE(hosts({{"SLURM_NODEID", "0"}}), std::size_t{0});
        QCOMPARE(hosts({{"SLURM_STEP_TASKS_PER_NODE", "1(x2)"}}), std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(ClusterDetectionTest)
#include "tst_cluster_detection.moc"
