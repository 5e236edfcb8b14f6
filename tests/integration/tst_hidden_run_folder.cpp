// SPDX-License-Identifier: Apache-2.0
// Processes of hosts that do not see the run folder: their run_dir is another one.
#include <QtTest>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/server/coordinator.h"
#include "core/coordination/state/process_key.h"
#include "core/launch/process/child_process.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "core/wire/framed_stream.h"
#include "tests/integration/workplace.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kPatience{60};

/// A run as its agents see it: a coordinator at the run folder, and real worker processes.
class Run {
public:
    Run(const QString& runFolder, const QByteArray& job, std::uint32_t workers, bool evaluator)
        : folder_(runFolder.toStdString()),
          job_(config::JobDocument::parse(job.toStdString(), "job.toml")->spec()),
          workers_(workers) {
        fs::create_directories(folder_);
        job_ = config::withLocalProcesses(std::move(job_), static_cast<int>(workers));
        job_.cluster.evaluator = evaluator;
        coordination::CoordinatorOptions options;
        options.rules.runId = "run-1";
        options.rules.workers = workers;
        options.rules.evaluators = evaluator ? 1 : 0;
        options.keys = keys_;
        options.journal = folder_ / "journal";
        options.checkpoints = folder_ / "checkpoints";
        options.monitorSocket =
            fs::temp_directory_path() / ("ls-" + randomHex(6)) / "private" / "monitor";
        socketFolder_ = options.monitorSocket.parent_path().parent_path();
        coordinator_ = std::move(*coordination::Coordinator::start(context_, options));
    }
    ~Run() {
        processes_.clear();
        coordinator_.reset();
        fs::remove_all(socketFolder_);
    }

    /// Starts one process of the job with a run folder of its own, or the run's. `isVeiled`: where
    /// the run's folder is, it finds an empty one.
    bool start(wire::Role role, std::uint32_t id, const QString& hiddenFolder, bool resume = false,
               bool isVeiled = false) {
        auto keys = *wire::newKeyPair();
        const auto user = coordination::userIdOf({role, id});
        if (!coordinator_->allowMember(keys.publicKey, user)) return false;
        const bool isHidden = !hiddenFolder.isEmpty();
        wire::WorkerConfig worker;
        worker.set_run_id("run-1");
        worker.set_run_dir(isHidden ? hiddenFolder.toStdString() : folder_.string());
        worker.set_fetch_checkpoints(isHidden);
        worker.set_job_toml(config::resolvedToml(job_));
        worker.set_job_dir(folder_.string());
        worker.set_role(role);
        worker.set_process_id(id);
        worker.set_num_processes(workers_);
        worker.set_coordinator_address(coordinator_->memberEndpoint().substr(6));
        worker.mutable_keys()->set_server_public(keys_.publicKey);
        worker.mutable_keys()->set_own_public(keys.publicKey);
        worker.mutable_keys()->set_own_secret(keys.secretKey);
        worker.set_host_group(isHidden ? "there" : "here");
        worker.set_segment_fd(-1);
        worker.set_resume(resume);
        worker.set_address("127.0.0.1:0");
        launch::ChildOptions options;
        options.program = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
        options.arguments = {"--member"};
        if (isVeiled) {
            options.arguments = {"--mount", "sh", "-c",
                                 "mount -t tmpfs none '" + folder_.string() + "' && exec " +
                                     options.program.string() + " --member"};
            options.program = "/usr/bin/unshare";
        }
        options.captureOutput = false;
        auto process = launch::ChildProcess::start(options);
        if (!process) return false;
        processes_.push_back(std::move(*process));
        return wire::writeMessage(processes_.back()->inputFd(), worker, kPatience).has_value();
    }

    [[nodiscard]] Result<coordination::Outcome> outcome() {
        return coordinator_->waitOutcome(kPatience);
    }
    /// Everything the evaluator said: "split step" to its loss.
    [[nodiscard]] std::map<std::string, double> scores() {
        coordinator_.reset();  // the journal is whole then
        std::map<std::string, double> scores;
        auto reader = telemetry::JournalReader::open(folder_ / "journal");
        if (!reader) return scores;
        auto frames = reader->read(0, 64 << 20);
        telemetry::FrameCursor cursor(*frames);
        while (const auto bytes = cursor.next()) {
            const auto record = wire::decode<wire::Record>(*bytes);
            if (!record || !record->has_evaluation()) continue;
            const wire::Evaluation& one = record->evaluation();
            scores[one.split() + " " + std::to_string(one.step()) + one.error()] = one.loss();
        }
        return scores;
    }

private:
    fs::path folder_;
    fs::path socketFolder_;
    config::JobSpec job_;
    std::uint32_t workers_;
    wire::Context context_ = *wire::Context::make();
    wire::KeyPair keys_ = *wire::newKeyPair();
    std::unique_ptr<coordination::Coordinator> coordinator_;
    std::vector<std::unique_ptr<launch::ChildProcess>> processes_;
};

QByteArray keepingAll(QByteArray job) {
    return job.replace("every_steps = 20", "every_steps = 20\nkeep = 100");
}

std::string hashIn(const std::string& summary) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(summary))
        .object()["state_hash"]
        .toString()
        .toStdString();
}

}  // namespace

class HiddenRunFolderTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        // The digits are generated once for all tests.
        qputenv("XDG_CACHE_HOME", LOCKSTEP_BINARY_DIR "/tests/cache");
    }

    void anEvaluatorElsewhereScoresEveryCheckpointTheSame() {
        const Workplace place;
        std::map<std::string, double> elsewhere;
        std::map<std::string, double> here;
        for (const bool isHidden : {true, false}) {
            Run run(place.path(isHidden ? "run" : "seen"), keepingAll(kSmallJob), 1, true);
            QVERIFY(run.start(wire::ROLE_EVALUATOR, 0, isHidden ? place.path("hidden") : ""));
            QVERIFY(run.start(wire::ROLE_WORKER, 0, ""));
            const auto outcome = run.outcome();
            QVERIFY2(outcome.has_value(), outcome ? "" : outcome.error().message.c_str());
            QCOMPARE(outcome->kind, coordination::OutcomeKind::Completed);
            (isHidden ? elsewhere : here) = run.scores();
        }
        QCOMPARE(elsewhere.size(), std::size_t{6});  // five checkpoints, and the test data
        QVERIFY(elsewhere.contains("validation 20") && elsewhere.contains("test 98"));
        QVERIFY(elsewhere == here);
        QVERIFY(QDir(place.path("hidden/checkpoints/evaluator-0"))
                    .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)
                    .isEmpty());
    }

    void aWorkerThatDoesNotSeeTheFolderResumesToTheSameEnd() {
        const Workplace place;
        place.write("job.toml", keepingAll(kSmallJob));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--processes", "2", "--set",
                                "cluster.transport=gloo", "--run-dir", "run"}),
                     0);
        const std::string whole = place.stateHash("run").toStdString();
        for (const char* newer : {"80", "98"})
            fs::remove_all(place.path("run/checkpoints/step-").toStdString() + newer);
        QByteArray job = keepingAll(kSmallJob);
        job.replace("[cluster]\n", "[cluster]\ntransport = \"gloo\"\n");
        Run run(place.path("run"), job, 2, false);
        QVERIFY(run.start(wire::ROLE_WORKER, 0, "", true));
        QVERIFY(run.start(wire::ROLE_WORKER, 1, place.path("hidden"), true));
        const auto outcome = run.outcome();
        QVERIFY2(outcome.has_value(), outcome ? "" : outcome.error().message.c_str());
        QCOMPARE(outcome->kind, coordination::OutcomeKind::Completed);
        QVERIFY(!whole.empty());
        QCOMPARE(hashIn(outcome->summaryJson), whole);
    }

    /// Its part of each checkpoint is handed to process 0 then, which writes it.
    void aMeshsMemberThatDoesNotSeeTheFolderHandsItsPartOver() {
        if (QProcess::execute("unshare", {"--mount", "true"}) != 0)
            QSKIP("this user may not have a name space of mounts");
        const Workplace place;
        QByteArray job = keepingAll(kSmallJob);
        job.replace("[cluster]\n", "[cluster]\ntransport = \"gloo\"\n");
        job += "[distribution]\nmesh = { model = 2 }\nlayout = { \"layers.0.weight\" = \"out\" }\n";
        std::array<std::string, 2> hashes;
        for (const bool isVeiled : {false, true}) {
            const QString folder = isVeiled ? "veiled" : "seen";
            Run run(place.path(folder), job, 2, false);
            QVERIFY(run.start(wire::ROLE_WORKER, 0, ""));
            QVERIFY(run.start(wire::ROLE_WORKER, 1, place.path("hidden"), false, isVeiled));
            const auto outcome = run.outcome();
            QVERIFY2(outcome.has_value(), outcome ? "" : outcome.error().message.c_str());
            QCOMPARE(outcome->kind, coordination::OutcomeKind::Completed);
            hashes[isVeiled ? 1 : 0] = hashIn(outcome->summaryJson);
            const QDir model(place.path(folder + "/checkpoints/step-98/model"));
            QCOMPARE(model.entryList(QDir::Files),
                     (QStringList{"shard-00001-model-00001-of-00001.safetensors",
                                  "shard-00002-model-00001-of-00001.safetensors"}));
        }
        QVERIFY(!hashes[0].empty());
        QCOMPARE(hashes[1], hashes[0]);
        for (const char* file : {"model", "optimizer"})
            for (const int shard : {1, 2}) {
                const QString name =
                    QString("/checkpoints/step-98/%1/shard-0000%2-model-00001-of-00001.safetensors")
                        .arg(file)
                        .arg(shard);
                QCOMPARE(place.read("veiled" + name), place.read("seen" + name));
            }
    }
};

QTEST_GUILESS_MAIN(HiddenRunFolderTest)
#include "tst_hidden_run_folder.moc"
