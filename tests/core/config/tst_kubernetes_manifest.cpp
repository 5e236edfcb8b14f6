// SPDX-License-Identifier: Apache-2.0
// The manifest that we print is one that we understand, and its pods find their cluster.
#include <QtTest>

#include "core/config/cluster/cluster_detection.h"
#include "core/config/dialects/dialect_readers.h"
#include "core/config/dialects/kubernetes_manifest.h"
#include "core/config/document/effective_cluster.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/yaml.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

JobSpec sampleJob() {
    return JobDocument::lenient(R"toml(
[job]
name = "Night_Shift.2"
run_dir = "/somewhere"
[cluster]
job_addresses = ["a:1", "b:2", "c:3"]
device = "gpu"
devices_per_process = 2
[launch]
method = "slurm"
[data]
dataset = "mnist"
directory = "/data/it's: \"here\" # not a comment"
[model]
layers = [{ type = "dense", units = 10 }]
)toml",
                                "job.toml")
        .spec();
}

QString textOf(const JobSpec& job) {
    const auto manifest = kubernetesManifest(job, {});
    return manifest ? QString::fromStdString(manifest->text) : QString();
}

/// The object of that kind.
text::Json objectIn(const QString& manifest, const std::string& kind) {
    const auto objects = text::parseYaml(manifest.toStdString());
    for (const text::Json& object : objects.value_or(std::vector<text::Json>()))
        if (object.get<std::string>("kind") == kind) return object;
    qFatal("there is no %s", kind.c_str());
}

text::Json containerIn(const QString& manifest) {
    const text::Json job = objectIn(manifest, "Job");
    const text::Json* pod = job.find("spec")->find("template")->find("spec");
    return pod->find("containers")->items().front();
}

/// What Kubernetes sets in the pod of this index: the manifest's variables and its own.
Environment podEnvironment(const QString& manifest, int index) {
    Environment::Variables variables{
        {"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
        {"JOB_COMPLETION_INDEX", std::to_string(index)},
        {"HOSTNAME", "night-shift-2-" + std::to_string(index)},
    };
    const text::Json container = containerIn(manifest);
    for (const text::Json& variable : container.find("env")->items())
        variables[variable.get<std::string>("name").value()] =
            variable.has("valueFrom") ? "0f-1" : variable.get<std::string>("value").value();
    return Environment(variables);
}

/// job.toml as the pods get it.
std::string podJob(const QString& manifest) {
    return objectIn(manifest, "ConfigMap").find("data")->get<std::string>("job.toml").value();
}

JobSpec jobIn(const QString& manifest) {
    return JobDocument::lenient(podJob(manifest), "job.toml").spec();
}

}  // namespace

class KubernetesManifestTest : public QObject {
    Q_OBJECT
private slots:
    void ourReaderUnderstandsIt() {
        const auto reading = readAny(textOf(sampleJob()).toStdString());
        QVERIFY2(reading.has_value(), reading ? "" : reading.error().message.c_str());
        QCOMPARE(reading->facts.numProcesses->value, 3);
        QCOMPARE(toString(reading->facts.coordinatorAddress->value),
                 std::string("night-shift-2-0.night-shift-2:55527"));
    }

    void everyPodFindsItsPlaceInTheSameCluster() {
        const QString manifest = textOf(sampleJob());
        const auto document = JobDocument::parse(podJob(manifest), "job.toml");
        QVERIFY2(document.has_value(), document ? "" : document.error().message.c_str());
        QVERIFY(document->checked().has_value());
        for (int index = 0; index < 3; ++index) {
            const auto cluster =
                resolveCluster({}, factsOf(*document), podEnvironment(manifest, index), "k8s");
            QVERIFY2(cluster.has_value(), cluster ? "" : cluster.error().message.c_str());
            QCOMPARE(cluster->processId->value, index);
            QCOMPARE(cluster->numProcesses->value, 3);
            QCOMPARE(toString(cluster->coordinatorAddress->value),
                     std::string("night-shift-2-0.night-shift-2:55527"));
            QCOMPARE(cluster->startId->value, std::string("k8s-night-shift-2-0f-1"));
        }
    }

    void thePodsGetTheSameJob() {
        const auto job = JobDocument::parse(podJob(textOf(sampleJob())), "job.toml")->spec();
        QCOMPARE(job.data.directory, sampleJob().data.directory);
        QCOMPARE(job.name, sampleJob().name);
        QCOMPARE(job.runDir, std::string());
        QCOMPARE(job.launch.method, LaunchMethod::Local);
        QCOMPARE(job.cluster.devicesPerProcess, 2);
    }

    void aProgramOfTheUsersIsStartedInEveryPod() {
        JobSpec program = sampleJob();
        program.launch.command = {"python", "train.py", "--name=it's \"x\""};
        program.launch.environment = {"OMP_NUM_THREADS=2"};
        program.launch.directory = "code";
        const auto manifest = kubernetesManifest(program, {});
        QVERIFY(manifest.has_value());
        const QString text = QString::fromStdString(manifest->text);
        const JobSpec pod = jobIn(text);
        QCOMPARE(pod.launch.command, program.launch.command);
        QCOMPARE(pod.launch.environment, program.launch.environment);
        QCOMPARE(pod.launch.directory, std::string("/lockstep/code"));
        QVERIFY(std::any_of(manifest->notes.begin(), manifest->notes.end(), [](const auto& note) {
            return note.starts_with("the program python must be in the image");
        }));
        program.launch.directory.clear();
        QCOMPARE(jobIn(textOf(program)).launch.directory, std::string("/lockstep"));
    }

    void numbersThatKubernetesWantsAsTextsAreQuoted() {
        const QString manifest = textOf(sampleJob());
        QVERIFY(manifest.contains("value: \"3\"\n"));
        QVERIFY(manifest.contains("parallelism: 3\n"));
        JobSpec spec = sampleJob();
        spec.name = "true";
        QVERIFY(textOf(spec).contains("\n  name: \"true\"\n"));
    }

    void whoWantsGpusAsksForThem() {
        QVERIFY(textOf(sampleJob()).contains("nvidia.com/gpu: 2\n"));
        JobSpec onCpus = sampleJob();
        onCpus.cluster.device = DeviceKind::Cpu;
        QVERIFY(!textOf(onCpus).contains("nvidia.com/gpu"));
    }

    void namesBecomeWhatKubernetesTakes_data() {
        QTest::addColumn<QString>("job");
        QTest::addColumn<QString>("name");  // empty: none can be made
        QTest::newRow("plain") << "mnist"
                               << "mnist";
        QTest::newRow("capitals and dots") << "My_Job.v2"
                                           << "my-job-v2";
        QTest::newRow("begins with a digit") << "2fast"
                                             << "job-2fast";
        QTest::newRow("ends with a mark") << "a..."
                                          << "a";
        QTest::newRow("nothing left") << "___"
                                      << "";
        QTest::newRow("long") << QString(64, 'x') << QString(52, 'x');
    }
    void namesBecomeWhatKubernetesTakes() {
        QFETCH(QString, job);
        QFETCH(QString, name);
        JobSpec spec = sampleJob();
        spec.name = job.toStdString();
        const auto manifest = kubernetesManifest(spec, {});
        QCOMPARE(manifest.has_value(), !name.isEmpty());
        if (manifest)
            QVERIFY(QString::fromStdString(manifest->text).contains("\n  name: " + name + "\n"));
    }

    void aWordThatWouldBreakTheManifestIsRefused() {
        for (const char* bad : {"", "a b", "a\nb: c", "x#y", "\"q\"", "{{}}"}) {
            QVERIFY2(!kubernetesManifest(sampleJob(), {bad, "claim"}), bad);
            QVERIFY2(!kubernetesManifest(sampleJob(), {"image", bad}), bad);
        }
        QVERIFY(kubernetesManifest(sampleJob(), {"r.example:5000/team/lockstep@sha256:0a", "c"}));
    }
};

QTEST_GUILESS_MAIN(KubernetesManifestTest)
#include "tst_kubernetes_manifest.moc"
