// SPDX-License-Identifier: Apache-2.0
// What a user's own program finds around it.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <map>

#include "core/base/file.h"
#include "core/config/cluster/cluster_detection.h"
#include "core/config/document/effective_cluster.h"
#include "core/config/document/environment_lint.h"
#include "core/launch/program/program_environment.h"
#include "core/launch/program/program_start.h"

using namespace lockstep;
using namespace lockstep::launch;

namespace fs = std::filesystem;

namespace {

config::JobSpec jobOfThree() {
    config::JobSpec job;
    job.cluster.numProcesses = 3;
    job.launch.command = {"python", "train.py"};
    return job;
}

/// Process 1 of three; the first two share a host.
ProgramPlace placeOnSharedHost() {
    ProgramPlace place;
    place.processId = 1;
    place.addresses = {{"10.0.0.1", 7001}, {"10.0.0.1", 7002}, {"10.0.0.2", 7003}};
    place.hosts = {"a", "a", "b"};
    place.restarts = 2;
    place.runId = "id";
    place.runDir = "/runs/one";
    place.reportEndpoint = "ipc:///run/x";
    place.pythonFolder = "/share/python";
    return place;
}

std::map<std::string, std::string> variablesOf(const std::vector<std::string>& list) {
    std::map<std::string, std::string> variables;
    for (const std::string& setting : list) {
        const std::size_t equals = setting.find('=');
        variables[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    return variables;
}

Environment environmentOf(const std::map<std::string, std::string>& variables) {
    return Environment(Environment::Variables(variables.begin(), variables.end()));
}

}  // namespace

class ProgramEnvironmentTest : public QObject {
    Q_OBJECT
private slots:
    void everyDialectFindsTheSameCluster() {
        const auto all =
            variablesOf(programEnvironment(Environment(), jobOfThree(), placeOnSharedHost()));
        const std::map<std::string, std::string> expected = {
            {"KERAS_DISTRIBUTION_JOB_ADDRESSES", "10.0.0.1:7001,10.0.0.1:7002,10.0.0.2:7003"},
            {"KERAS_DISTRIBUTION_NUM_PROCESSES", "3"},
            {"KERAS_DISTRIBUTION_PROCESS_ID", "1"},
            {"TF_CONFIG",
             R"({"cluster":{"worker":["10.0.0.1:7001","10.0.0.1:7002","10.0.0.2:7003"]},)"
             R"("task":{"type":"worker","index":1}})"},
            {"JAX_COORDINATOR_ADDRESS", "10.0.0.1:7001"},
            {"OMPI_MCA_orte_hnp_uri", "0.0;tcp://10.0.0.1:7001"},
            {"OMPI_COMM_WORLD_SIZE", "3"},
            {"OMPI_COMM_WORLD_RANK", "1"},
            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
            {"MASTER_ADDR", "10.0.0.1"},
            {"MASTER_PORT", "7001"},
            {"RANK", "1"},
            {"WORLD_SIZE", "3"},
            {"LOCAL_RANK", "1"},
            {"LOCAL_WORLD_SIZE", "2"},
            {"GROUP_RANK", "0"},
            {"LOCKSTEP_PROCESS_ID", "1"},
            {"LOCKSTEP_LOCAL_PROCESS_ID", "1"},
            {"LOCKSTEP_RESTART_COUNT", "2"},
            {"LOCKSTEP_REPORT_ENDPOINT", "ipc:///run/x"},
            {"PYTHONPATH", "/share/python"},
        };
        for (const auto& [name, value] : expected) {
            QVERIFY2(all.contains(name), name.c_str());
            QCOMPARE(QString::fromStdString(all.at(name)), QString::fromStdString(value));
        }
    }

    void nothingIsSetThatNobodyReads() {
        const auto all =
            variablesOf(programEnvironment(Environment(), jobOfThree(), placeOnSharedHost()));
        for (const char* unread : {"JAX_NUM_PROCESSES", "JAX_PROCESS_ID"})
            QVERIFY2(!all.contains(unread), unread);
        const auto findings = config::lintVariables(environmentOf(all));
        QVERIFY2(findings.empty(), findings.empty() ? "" : findings.front().message.c_str());
    }

    /// initialize() of a program that Lockstep started is not led to an mpirun that there is none
    /// of.
    void ourOwnDetectionTakesTheJobsAddresses() {
        const auto all =
            variablesOf(programEnvironment(Environment(), jobOfThree(), placeOnSharedHost()));
        const auto cluster = config::resolveCluster({}, {}, environmentOf(all));
        QVERIFY2(cluster.has_value(), cluster ? "" : cluster.error().message.c_str());
        QCOMPARE(cluster->processId->value, 1);
        QCOMPARE(cluster->numProcesses->value, 3);
        QCOMPARE(config::toString(cluster->jobAddresses->value[2]), std::string("10.0.0.2:7003"));
        QVERIFY(!cluster->startId);
        const auto detected = config::detectCluster(environmentOf(all), "ompi");
        QVERIFY(detected && *detected && !(*detected)->coordinatorAddress);
    }

    void aProcessOfMpirunKeepsWhatMpirunSays() {
        const Environment mpirun(
            Environment::Variables{{"OMPI_MCA_orte_hnp_uri", "1531576320.0;tcp://10.96.0.1:34911"},
                                   {"OMPI_COMM_WORLD_SIZE", "3"},
                                   {"OMPI_COMM_WORLD_RANK", "1"},
                                   {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}});
        auto all = variablesOf(programEnvironment(mpirun, jobOfThree(), placeOnSharedHost()));
        QCOMPARE(all.at("OMPI_MCA_orte_hnp_uri"),
                 std::string("1531576320.0;tcp://10.96.0.1:34911"));
        QCOMPARE(all.at("OMPI_COMM_WORLD_LOCAL_RANK"), std::string("0"));
        // A shell within another job of mpirun is none of this job's processes.
        const Environment shell(
            Environment::Variables{{"OMPI_MCA_orte_hnp_uri", "1531576320.0;tcp://10.96.0.1:34911"},
                                   {"OMPI_COMM_WORLD_SIZE", "1"},
                                   {"OMPI_COMM_WORLD_RANK", "0"}});
        all = variablesOf(programEnvironment(shell, jobOfThree(), placeOnSharedHost()));
        QCOMPARE(all.at("OMPI_COMM_WORLD_SIZE"), std::string("3"));
        QCOMPARE(all.at("OMPI_MCA_orte_hnp_uri"), std::string("0.0;tcp://10.0.0.1:7001"));
    }

    void aProcessAloneOnItsHostKeepsAllOfItsGpusForJax() {
        ProgramPlace place = placeOnSharedHost();
        place.gpus = 4;
        auto all = variablesOf(programEnvironment(Environment(), jobOfThree(), place));
        QVERIFY(!all.contains("JAX_LOCAL_DEVICE_IDS"));  // one each, as mpirun's processes
        place.processId = 2;
        all = variablesOf(programEnvironment(Environment(), jobOfThree(), place));
        QCOMPARE(all.at("JAX_LOCAL_DEVICE_IDS"), std::string("0,1,2,3"));
        config::JobSpec job = jobOfThree();
        job.launch.environment = {"CUDA_VISIBLE_DEVICES=2,3"};
        all = variablesOf(programEnvironment(Environment(), job, place));
        QCOMPARE(all.at("JAX_LOCAL_DEVICE_IDS"), std::string("0,1"));
        job.launch.environment = {"JAX_LOCAL_DEVICE_IDS=3"};
        all = variablesOf(programEnvironment(Environment(), job, place));
        QCOMPARE(all.at("JAX_LOCAL_DEVICE_IDS"), std::string("3"));
    }

    void theJobHasTheLastWordAndTheUsersOwnSettingsStay() {
        config::JobSpec job = jobOfThree();
        job.launch.environment = {"RANK=9", "LINE=a=b"};
        const Environment own(
            Environment::Variables{{"PYTHONPATH", "/mine"}, {"HOME", "/h"}, {"RANK", "stale"}});
        const auto all = variablesOf(programEnvironment(own, job, placeOnSharedHost()));
        QCOMPARE(all.at("RANK"), std::string("9"));
        QCOMPARE(all.at("LINE"), std::string("a=b"));
        QCOMPARE(all.at("HOME"), std::string("/h"));
        QCOMPARE(all.at("PYTHONPATH"), std::string("/mine:/share/python"));
    }

    void proxiesArePassedByOnTheWayToTheJobsHosts() {
        const Environment proxied(
            Environment::Variables{{"http_proxy", "http://p:1"}, {"no_proxy", "intra"}});
        const auto all =
            variablesOf(programEnvironment(proxied, jobOfThree(), placeOnSharedHost()));
        QCOMPARE(all.at("no_proxy"), std::string("intra,10.0.0.1,10.0.0.1,10.0.0.2"));
        const auto direct =
            variablesOf(programEnvironment(Environment(), jobOfThree(), placeOnSharedHost()));
        QVERIFY(!direct.contains("no_proxy"));
    }

    void librariesAreToldTheInterfaceUnlessTheUserChose() {
        ProgramPlace place = placeOnSharedHost();
        place.networkInterface = "eth7";
        const Environment chosen(Environment::Variables{{"GLOO_SOCKET_IFNAME", "ib0"}});
        const auto all = variablesOf(programEnvironment(chosen, jobOfThree(), place));
        QCOMPARE(all.at("GLOO_SOCKET_IFNAME"), std::string("ib0"));
        QCOMPARE(all.at("NCCL_SOCKET_IFNAME"), std::string("eth7"));
        QCOMPARE(interfaceOf("127.0.0.1"), std::string("lo"));
        QCOMPARE(interfaceOf("192.0.2.1"), std::string());
    }

    void programsAreFoundAlongThePathOrRelativeToTheFolder() {
        const QTemporaryDir temporary;
        const fs::path folder = temporary.path().toStdString();
        fs::create_directory(folder / "bin");
        QVERIFY(replaceFileDurably(folder / "bin" / "tool", "#!/bin/sh\n", 0755));
        QVERIFY(replaceFileDurably(folder / "bin" / "text", "no program", 0644));
        const std::vector<std::string> path = {"PATH=/nowhere:" + (folder / "bin").string()};
        QCOMPARE(*findProgram("tool", path, "/"), folder / "bin" / "tool");
        QCOMPARE(*findProgram("bin/tool", {}, folder), folder / "bin" / "tool");
        for (const char* absent : {"text", "bin/text", "bin", "./bin", "tool/", "$(touch x)", ""})
            QVERIFY2(!findProgram(absent, path, folder), absent);
        const auto refused = findProgram("absent", path, folder);
        QCOMPARE(refused.error().code, ErrorCode::BadInput);
        QVERIFY(refused.error().message.find("absent") != std::string::npos);
        QVERIFY(refused.error().remedy.find("/nowhere") != std::string::npos);
    }

    void aProgramIsCalledByWhatItsInterpreterRuns() {
        using Command = std::vector<std::string>;
        QCOMPARE(programLabel({"python3", "-u", "src/train.py", "--epochs", "3"}),
                 std::string("train.py"));
        QCOMPARE(programLabel({"/opt/env/bin/python", "-m", "pkg.train"}),
                 std::string("pkg.train"));
        QCOMPARE(programLabel({"torchrun", "--nproc-per-node", "2", "train.py"}),
                 std::string("train.py"));
        for (const Command& command :
             {Command{"python3"}, Command{"python3", "-c", "import train.py"},
              Command{"python3", "-"}})
            QCOMPARE(programLabel(command), std::string("python3"));
        QCOMPARE(programLabel({"./simulate", "input.txt"}), std::string("simulate"));
    }
    void aFolderThatThisHostDoesNotSeeBecomesTheHomeFolder() {
        const QTemporaryDir temporary;
        const std::string there = temporary.path().toStdString();
        QCOMPARE(programFolder(there), fs::path(there));
        qputenv("HOME", temporary.path().toUtf8());
        QCOMPARE(programFolder(there + "/absent"), fs::path(there));
        qputenv("HOME", "/absent/too");
        QCOMPARE(programFolder(there + "/absent"), fs::path("/"));
    }
};

QTEST_GUILESS_MAIN(ProgramEnvironmentTest)
#include "tst_program_environment.moc"
