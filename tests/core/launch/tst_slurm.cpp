// SPDX-License-Identifier: Apache-2.0
// What Lockstep says to Slurm and understands of it, without a Slurm.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "core/config/document/job_file.h"
#include "core/launch/slurm/slurm_command.h"
#include "core/launch/slurm/slurm_request.h"
#include "core/launch/slurm/slurm_start.h"
#include "core/launch/slurm/slurm_state.h"

using namespace lockstep;
using namespace lockstep::launch;

namespace {

// As Slurm 22.05 prints them, on one line.
constexpr auto kPending =
    "JobId=12 JobName=small UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=4294901759 "
    "Nice=0 "
    "Account=(null) QOS=(null) JobState=PENDING Reason=Resources Dependency=(null) Requeue=1 "
    "Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0 RunTime=00:00:00 TimeLimit=00:10:00 TimeMin=N/A "
    "SubmitTime=2026-03-01T10:00:00 EligibleTime=2026-03-01T10:00:00 "
    "StartTime=2026-03-01T11:00:00 EndTime=2026-03-01T11:10:00 Partition=main "
    "AllocNode:Sid=host:1 ReqNodeList=(null) ExcNodeList=(null) NodeList= NumNodes=3-3 "
    "Command=/runs/x JobState=RUNNING/start.sh WorkDir=/runs/x\n";
constexpr auto kFailed =
    "JobId=13 JobName=small JobState=FAILED Reason=NonZeroExitCode Dependency=(null) Requeue=0 "
    "Restarts=0 BatchFlag=1 ExitCode=2:0 StartTime=2026-03-01T11:00:00 Partition=main "
    "NodeList=n[1-3] BatchHost=n1\n";

constexpr auto kJob = R"toml(
[job]
name = "night"
[cluster]
job_addresses = ["a:1", "b:2", "c:3"]
evaluator = "d:4"
[launch]
method = "slurm"
hosts = ["a", "b", "c"]
[slurm]
partition = "main"
account = "lab"
nodes = 2
time_limit = "2:00:00"
options = ["--gres=gpu:2", "--comment=a b; $(touch x)"]
[data]
dataset = "digits"
)toml";

SlurmRequest sampleRequest() {
    SlurmRequest request;
    request.job = config::JobDocument::lenient(kJob, "job.toml").spec();
    request.job.runDir = "/runs/my run;$(touch y)";
    request.workerProgram = "/opt/lockstep-worker";
    return request;
}

bool holds(const std::vector<std::string>& list, const std::string& item) {
    return std::ranges::count(list, item) > 0;
}

}  // namespace

class SlurmTest : public QObject {
    Q_OBJECT
private slots:
    void aWaitingJobIsToldWithItsReasonAndExpectedStart() {
        const auto state = parseShownJob(kPending);
        QVERIFY(state);
        QVERIFY(isWaiting(*state));
        QVERIFY(!isOver(*state));
        QCOMPARE(QString::fromStdString(wordsOf(12, *state)),
                 QString("waiting in Slurm's queue as job 12, partition main: the nodes it needs "
                         "are not free yet (Resources), expected to start at "
                         "2026-03-01T11:00:00"));
    }

    void aPathThatLooksLikeAFieldIsNotTakenForOne() {
        QCOMPARE(parseShownJob(kPending)->state, std::string("PENDING"));
    }

    void whatIsNoJobIsNotTakenForOne() {
        QVERIFY(!parseShownJob(""));
        QVERIFY(!parseShownJob("slurm_load_jobs error: Invalid job id specified\n"));
        QVERIFY(!parseShownJob("JobId=7 nothing else"));
        QVERIFY(!parseAccountedJob(""));
        QVERIFY(!parseAccountedJob("COMPLETED|0:0"));
    }

    void aRunningJobIsToldWithItsNodes() {
        SlurmState state;
        state.state = "RUNNING";
        state.nodes = "n[1-3]";
        QCOMPARE(QString::fromStdString(wordsOf(12, state)),
                 QString("Slurm job 12 runs on n[1-3]"));
    }

    void theProgramsOwnErrorIsTheCauseOfBadInput() {
        const auto state = parseShownJob(kFailed);
        QVERIFY(isOver(*state));
        const SlurmEnd end =
            endOf(13, *state,
                  "process 1 waits\nerror: there is no such file\n  Name another.\n"
                  "error: there is no such file\n");
        QCOMPARE(end.exitStatus, 2);
        QCOMPARE(end.error, std::string("there is no such file"));
        QCOMPARE(end.remedy, std::string("Name another."));
    }

    void slurmsOwnEndIsToldWithSrunsWords() {
        SlurmState state;
        state.state = "FAILED";
        state.exitStatus = 1;
        state.nodes = "n2";
        const SlurmEnd end =
            endOf(13, state,
                  "srun: error: Unable to create step for job 13: More processors requested\n");
        QCOMPARE(end.exitStatus, 1);
        QCOMPARE(end.error, std::string("Slurm job 13 ended on n2 with status 1: Unable to create "
                                        "step for job 13: More processors requested"));
    }

    void everyWayInWhichSlurmEndsAJobHasItsSentence_data() {
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("words");
        QTest::newRow("cancelled") << "CANCELLED by 1000"
                                   << "was cancelled";
        QTest::newRow("time") << "TIMEOUT"
                              << "has reached its time limit";
        QTest::newRow("node") << "NODE_FAIL"
                              << "was ended on n3: a node failed";
        QTest::newRow("memory") << "OUT_OF_MEMORY"
                                << "was ended on n3: it used more memory than it had asked for";
        QTest::newRow("preempted") << "PREEMPTED"
                                   << "had to give way to another job on n3";
    }
    void everyWayInWhichSlurmEndsAJobHasItsSentence() {
        QFETCH(QString, state);
        QFETCH(QString, words);
        const auto accounted = parseAccountedJob(state.toStdString() + "|0:9|n3|main|\n");
        QVERIFY(accounted);
        QVERIFY(isOver(*accounted));
        QCOMPARE(QString::fromStdString(endOf(9, *accounted, "").error), "Slurm job 9 " + words);
    }

    void everythingThatTheJobSaysIsAnArgumentOfItsOwn() {
        const SlurmRequest request = sampleRequest();
        const auto arguments = sbatchArguments(request);
        for (const char* expected :
             {"--parsable", "--job-name=night", "--ntasks=4", "--partition=main", "--account=lab",
              "--nodes=2", "--time=2:00:00", "--signal=TERM@120", "--no-requeue", "--gres=gpu:2",
              "--comment=a b; $(touch x)", "--chdir=/runs/my run;$(touch y)",
              "/runs/my run;$(touch y)/slurm/start.sh", "/opt/lockstep-worker"})
            QVERIFY2(holds(arguments, expected), expected);
        // The script is the same for every job.
        QVERIFY(startScript().find("night") == std::string::npos);
        QVERIFY(startScript().find("/runs") == std::string::npos);
    }

    void theTasksLearnTheirPlacesFromSlurmAlone() {
        auto request = sampleRequest();
        auto document = config::JobDocument::parse(taskJobToml(request), "job.toml");
        QVERIFY(document);
        const auto& spec = document->spec();
        QCOMPARE(spec.cluster.numProcesses, 3);
        QCOMPARE(spec.cluster.jobAddresses, (std::vector{config::Address{"127.0.0.1", 0}}));
        QVERIFY(spec.cluster.evaluator);
        QVERIFY(!spec.cluster.evaluatorAddress);
        QVERIFY(spec.launch.hosts.empty());
        QCOMPARE(spec.checkpoint.resume, config::ResumePolicy::Never);
        request.resume = true;
        document = config::JobDocument::parse(taskJobToml(request), "job.toml");
        QCOMPARE(document->spec().checkpoint.resume, config::ResumePolicy::Auto);
    }

    void aJobThatMakesOrRestoresIsPutBackIntoTheQueueBySlurm() {
        auto request = sampleRequest();
        request.job.checkpoint.resume = config::ResumePolicy::Auto;
        QVERIFY(holds(sbatchArguments(request), "--requeue"));
    }

    void aFolderWhoseNameSlurmWouldReadOtherwiseIsRefused() {
        const QTemporaryDir folder;
        auto request = sampleRequest();
        request.job.runDir = folder.filePath("100%j").toStdString();
        const auto written = writeSlurmFolder(request);
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::BadInput);
        QVERIFY(!QFile::exists(folder.filePath("100%j")));
    }

    void aSubmissionIsReadAsItWasWritten() {
        const QTemporaryDir folder;
        auto request = sampleRequest();
        request.job.runDir = folder.filePath("run").toStdString();
        QVERIFY(writeSlurmFolder(request));
        const SlurmPlaces places{request.job.runDir};
        QVERIFY(!readSubmission(places));
        QVERIFY(writeSubmission(places, {12, 345}));
        const auto read = readSubmission(places);
        QVERIFY(read);
        QCOMPARE(read->jobId, 12);
        QCOMPARE(read->journalEnd, 345U);
    }

    void slurmIsAskedLessAndLessOften() {
        using namespace std::chrono;
        QVERIFY(lookInterval(SlurmPhase::Waiting, seconds(0)) >= seconds(2));
        QVERIFY(lookInterval(SlurmPhase::Waiting, minutes(1)) >= seconds(10));
        QVERIFY(lookInterval(SlurmPhase::Waiting, hours(1)) >= seconds(30));
        QVERIFY(lookInterval(SlurmPhase::Running, seconds(0)) >= seconds(30));
    }

    void aProgramThatIsNotInstalledIsASentence() {
        const auto command = SlurmCommand::start("sbatch-that-is-not-there", {}, Nanos{1});
        QVERIFY(!command);
        QCOMPARE(command.error().code, ErrorCode::NotFound);
        QVERIFY(command.error().message.find("is not on the PATH") != std::string::npos);
        QVERIFY(!command.error().remedy.empty());
    }

    void aProgramThatDoesNotAnswerIsEndedInTime() {
        auto command = SlurmCommand::start("sleep", {"60"}, Millis(50));
        QVERIFY(command);
        const auto answer = command->wait();
        QVERIFY(!answer);
        QCOMPARE(answer.error().code, ErrorCode::Timeout);
    }

    void aSubmissionThatIsNotAnsweredMayHaveBeenTaken() {
        const QTemporaryDir folder;
        QFile program(folder.filePath("sbatch"));
        QVERIFY(program.open(QIODevice::WriteOnly));
        program.write("#!/bin/sh\nexec sleep 60\n");
        program.close();
        QVERIFY(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", folder.path().toUtf8() + ":" + path);
        SlurmRequest request = sampleRequest();
        request.submitLimit = Millis(50);
        const std::string name = request.job.name;
        const auto start = submitToSlurm(std::move(request));
        for (int i = 0; i < 200 && start->phase() != SlurmPhase::Over; ++i)
            start->poll(Millis(50));
        qputenv("PATH", path);
        QVERIFY(start->phase() == SlurmPhase::Over);
        QVERIFY(start->end().error.find("may have taken the job") != std::string::npos);
        QVERIFY(start->end().remedy.find("named " + name) != std::string::npos);
        QVERIFY(start->end().remedy.find("scancel") != std::string::npos);
    }

    void bothOutputsOfAProgramAreItsWords() {
        auto command = SlurmCommand::start(
            "sh", {"-c", "echo 'sbatch: error: one' >&2; echo 'sbatch: error: two' >&2; exit 3"},
            std::chrono::seconds(20));
        QVERIFY(command);
        const auto answer = command->wait();
        QVERIFY(answer);
        QCOMPARE(answer->status, 3);
        QCOMPARE(answer->words(), std::string("one; two"));
    }
};

QTEST_GUILESS_MAIN(SlurmTest)
#include "tst_slurm.moc"
