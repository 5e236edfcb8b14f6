// SPDX-License-Identifier: Apache-2.0
// A network that two hosts share, over ssh and without a disk that both see: its checkpoints, and
// what becomes of them.
#include <QtTest>
#include <cmath>

#include "tests/integration/hosts_place.h"

using namespace lockstep::tests;

namespace {

const QString kControl = QStringLiteral(LOCKSTEP_BINARY_DIR "/bin/lockstepctl");

/// The first layer by its outputs, the second by its inputs.
QByteArray sharedJob() {
    return longerJob(20) +
           "[distribution]\nmesh = { model = 2 }\nlayout = { \"layers.0.weight\" = "
           "\"out\", \"layers.1.weight\" = \"in\" }\n";
}

}  // namespace

class SshMeshTest : public QObject {
    Q_OBJECT

private:
    Workplace place_;
    QString there_;  ///< The run's folder on host 1, which no other host has.

    [[nodiscard]] QStringList here(const QStringList& more) const {
        return QStringList{
                   "run",         "job.toml",
                   "--processes", "2",
                   "--set",       "launch.method=local",
                   "--set",       "cluster.job_addresses=[\"127.0.0.1:0\", \"127.0.0.1:0\"]",
                   "--set",       "cluster.transport=gloo"} +
               more;
    }
    /// lockstepctl on host 1.
    static Ended askedThere(const QString& arguments) {
        return onHost(1, "cd /tmp && " + kControl + " " + arguments);
    }
    [[nodiscard]] QString latestThere() const {
        return QString::fromUtf8(
            onHost(1, "cat " + there_ + "/checkpoints/LATEST").output.split('\n').first());
    }

private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
        place_.write("job.toml", jobOnHosts(sharedJob(), {1, 2}));
        // On this machine, where both see the folder.
        REQUIRE_EXIT(place_.run(here({"--run-dir", "seen"})), 0);
        QDir().mkdir(place_.path("own"));
        for (const int host : {1, 2})
            REQUIRE_EXIT(onHost(host, "mount -t tmpfs tmpfs " + place_.path("own")), 0);
    }
    void cleanupTestCase() {
        if (!insideHosts()) return;
        for (const int host : {1, 2})
            onHost(host, "umount " + place_.path("own"));
        QVERIFY2(waitUntil([] { return workersOnAllHosts().isEmpty(); }, std::chrono::seconds(10)),
                 "a process of the run is left on a host");
    }

    /// Process 1 hands its part over, at each checkpoint and, when the run goes on, back.
    void aRunIsStoppedAndGoesOnToTheSameBits() {
        const auto program = place_.start({"run", "job.toml", "--run-dir", "own/run"});
        QVERIFY(waitUntil([this] {
            there_ = place_.readJson("own/run/remote.json").object()["run_dir"].toString();
            return !there_.isEmpty() && latestThere().startsWith("step-");
        }));
        QVERIFY(program->signal(SIGINT));
        REQUIRE_EXIT(program->waitForEnd(), 3);
        const int stopped = place_.summary("own/run")["steps"].toInt();
        QVERIFY(stopped < place_.summary("seen")["steps"].toInt());
        QCOMPARE(latestThere(), QString("step-%1").arg(stopped));
        QVERIFY(!onHost(2, "test -e " + there_ + "/checkpoints").exitedWith(0));
        QVERIFY(!place_.exists("own/run/checkpoints"));

        const Ended resumed = place_.run({"run", "job.toml", "--run-dir", "own/run", "--resume"});
        REQUIRE_EXIT(resumed, 0);
        QCOMPARE(place_.stateHash("own/run"), place_.stateHash("seen"));
        const QByteArray files =
            onHost(1, "ls " + there_ + "/checkpoints/" + latestThere() + "/model").output;
        QCOMPARE(files.trimmed().split('\n'),
                 (QList<QByteArray>{"shard-00001-model-00001-of-00001.safetensors",
                                    "shard-00002-model-00001-of-00001.safetensors"}));
    }

    void whereItsCheckpointsLieItIsVerifiedEvaluatedAndExported() {
        QVERIFY(!there_.isEmpty());
        REQUIRE_EXIT(askedThere("verify " + there_), 0);
        const Ended evaluated = askedThere("evaluate " + there_);
        REQUIRE_EXIT(evaluated, 0);
        QCOMPARE(evaluated.output, place_.run({"evaluate", "seen"}).output);
        for (const QString format : {"onnx", "safetensors"}) {
            REQUIRE_EXIT(askedThere("export " + there_ + " --format " + format +
                                    " --output /tmp/there." + format),
                         0);
            REQUIRE_EXIT(
                place_.run({"export", "seen", "--format", format, "--output", "seen." + format}),
                0);
            QVERIFY(!place_.read("seen." + format).isEmpty());
            QCOMPARE(onHost(1, "cat /tmp/there." + format + "; rm /tmp/there." + format).output,
                     place_.read("seen." + format));
        }
    }

    /// And, once they are here, so does this machine.
    void whoLooksForThemHereIsToldWhereTheyLie() {
        QVERIFY(!there_.isEmpty());
        for (const QStringList& verb :
             {QStringList{"evaluate", "own/run"}, QStringList{"predict", "own/run", "job.toml"},
              QStringList{"export", "own/run", "--format", "onnx"}}) {
            const Ended ended = place_.run(verb);
            REQUIRE_EXIT(ended, 2);
            QCOMPARE(errorsOf(ended),
                     QStringList("the checkpoints of this run lie on 10.77.0.1, in " + there_));
            QVERIFY2(ended.errors.contains("copy the folder checkpoints into that of the run here"),
                     ended.words());
        }
        const int copied = QProcess::execute(
            "scp", {"-q", "-r", "-F", qEnvironmentVariable("SSH_CONFIG"),
                    "10.77.0.1:" + there_ + "/checkpoints", place_.path("own/run")});
        QCOMPARE(copied, 0);
        const Ended evaluated = place_.run({"evaluate", "own/run"});
        REQUIRE_EXIT(evaluated, 0);
        QCOMPARE(evaluated.output, place_.run({"evaluate", "seen"}).output);
        REQUIRE_EXIT(
            place_.run({"export", "own/run", "--format", "onnx", "--output", "copied.onnx"}), 0);
        QCOMPARE(place_.read("copied.onnx"), place_.read("seen.onnx"));
    }

    /// Four GPUs of an emulation on each, which must not be the same ones: what stands for NCCL
    /// between them is memory that both see.
    void hostsWithGpusShareANetworkByNccl() {
        constexpr const char* kLibraries = LOCKSTEP_BINARY_DIR "/tests/cuda_emulation";
        if (!QFile::exists(kLibraries)) QSKIP("built without the emulation of CUDA");
        for (const int host : {1, 2}) {
            giveEnvironment(host,
                            QByteArray("LD_LIBRARY_PATH=") + kLibraries + " FAKE_CUDA_DEVICES=4");
            REQUIRE_EXIT(onHost(host, "umount /dev/shm"), 0);
        }
        const QByteArray job = jobOnHosts(sharedJob(), {1, 2});
        place_.write("gpus.toml", QByteArray(job).replace("epochs = 20", "epochs = 1"));
        const QStringList more{"--set", "cluster.device=gpu", "--set",
                               "cluster.devices_per_process=1"};
        const Ended ended = place_.run(QStringList{"run", "gpus.toml", "--run-dir", "gpus"} + more);
        for (const int host : {1, 2})
            onHost(host, "mount -t tmpfs tmpfs /dev/shm");
        REQUIRE_EXIT(ended, 0);
        const QJsonObject onGpus = place_.summary("gpus");
        QCOMPARE(onGpus["device"], QJsonValue("gpu"));
        QCOMPARE(onGpus["backend"], QJsonValue("nccl"));
        QSet<QString> devices;
        for (const QJsonValue& device : onGpus["devices"].toArray())
            devices.insert(
                QString("%1 %2").arg(device["process_id"].toInt()).arg(device["uuid"].toString()));
        QCOMPARE(devices.size(), 2);
        REQUIRE_EXIT(place_.run(QStringList{"run", "gpus.toml", "--run-dir", "cpus"} +
                                QStringList{"--set", "cluster.device=cpu"}),
                     0);
        const double apart =
            onGpus["test_loss"].toDouble() / place_.summary("cpus")["test_loss"].toDouble();
        QVERIFY2(std::abs(apart - 1) < 1e-4, qPrintable(QString::number(apart - 1)));
    }

private:
    /// What its sshd gives to whom it lets in from now on.
    static void giveEnvironment(int host, const QByteArray& variables) {
        const QString folder = QFileInfo(qEnvironmentVariable("SSH_CONFIG")).path();
        QFile config(folder + QString("/sshd%1.conf").arg(host));
        QVERIFY(config.open(QIODevice::Append));
        config.write("SetEnv " + variables + "\n");
        config.close();
        REQUIRE_EXIT(onHost(host, QString("kill -HUP $(cat %1/sshd%2.pid)").arg(folder).arg(host)),
                     0);
        QVERIFY(waitUntil(
            [host] { return onHost(host, "test -n \"$FAKE_CUDA_DEVICES\"").exitedWith(0); }));
    }
};

LOCKSTEP_HOSTS_TEST_MAIN(SshMeshTest)
#include "tst_ssh_mesh.moc"
