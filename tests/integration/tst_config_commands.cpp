// SPDX-License-Identifier: Apache-2.0
// lockstepctl lint and env as a user runs them, in environments of their own.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

const QString kProgram = LOCKSTEP_BINARY_DIR "/bin/lockstepctl";

}  // namespace

class ConfigCommandsTest : public QObject {
    Q_OBJECT
private slots:
    void anEnvironmentIsLintedWithoutAJobFile() {
        const Ended nothing = inEnvironment({}, {"lint", "--env"});
        REQUIRE_EXIT(nothing, 0);
        QCOMPARE(nothing.output, QByteArray("this environment says nothing of a cluster\n"));
        const Ended slurm =
            inEnvironment({"SLURM_JOB_ID=123456", "SLURM_STEP_NODELIST=n[1-2]", "SLURM_NTASKS=2",
                           "SLURM_PROCID=1", "SLURM_LOCALID=0", "http_proxy=p"},
                          {"lint", "--env"});
        REQUIRE_EXIT(slurm, 0);
        QVERIFY(
            slurm.output.contains("coordinator_address n1:62016 from SLURM_STEP_NODELIST and "
                                  "SLURM_JOB_ID\nnum_processes 2 from SLURM_NTASKS\n"));
        QVERIFY(slurm.errors.contains("warning: environment: proxy variable(s)"));
    }

    void aKeyThatIsNoneIsRefusedWithTheOneThatWasMeant() {
        const Ended one = inEnvironment({}, {"keys", "training.epochs"});
        REQUIRE_EXIT(one, 0);
        QVERIFY(
            one.output.startsWith("training.epochs  whole number from 1 to 1000000 (epochs); "));
        const Ended wrong = inEnvironment({}, {"keys", "training.epoch"});
        REQUIRE_EXIT(wrong, 2);
        QVERIFY(wrong.errors.contains("training.epoch, did you mean training.epochs?"));
    }

    void theDataAreShownByClassAndSplit() {
        const Workplace place;
        place.write("job.toml",
                    "[data]\ndataset = \"digits\"\nvalidation_samples = 1000\n[model]\n"
                    "layers = [{ units = 10 }]\n");
        const Ended table = place.run({"data", "job.toml"});
        REQUIRE_EXIT(table, 0);
        QVERIFY2(table.output.startsWith("images of 28 x 28 x 1\n"), table.output);
        QVERIFY2(table.output.contains("samples          59000        1000       10000\n"),
                 table.output);
        const Ended json = place.run({"data", "job.toml", "--json"});
        REQUIRE_EXIT(json, 0);
        const QJsonObject card = QJsonDocument::fromJson(json.output).object();
        QCOMPARE(card["splits"]["validation"]["samples"].toInt(), 1000);
        QCOMPARE(card["splits"]["training"]["per_class"].toArray().size(), 10);
        const Ended wrong = place.run({"data", "job.toml", "--set", "data.validation_samples=x"});
        REQUIRE_EXIT(wrong, 2);
    }

    void theNetworkIsShownWithItsShapes() {
        const Workplace place;
        place.write("cnn.toml",
                    "[data]\ndataset = \"digits\"\n[model]\nlayers = [\n"
                    "  { type = \"conv2d\", filters = 4, kernel_size = 3 },\n"
                    "  { type = \"flatten\" },\n  { type = \"dense\", units = \"classes\" },\n]\n");
        const Ended shown = place.run({"lint", "cnn.toml", "--model"});
        REQUIRE_EXIT(shown, 0);
        QVERIFY2(shown.output.contains("layers.0  conv2d   26 x 26 x 4          40"), shown.output);
        QVERIFY2(shown.output.contains("27,090 of the parameters are trained\n"), shown.output);
        place.write("flat.toml",
                    "[data]\ndataset = \"digits\"\n[model]\nlayers = [\n"
                    "  { type = \"flatten\" },\n  { type = \"conv2d\", filters = 4, "
                    "kernel_size = 3 },\n]\n");
        const Ended wrong = place.run({"lint", "flat.toml", "--model"});
        REQUIRE_EXIT(wrong, 2);
        QVERIFY2(
            wrong.errors.contains("error: flat.toml:6:3: model.layers[1] takes height x width x "
                                  "channels, but gets 784"),
            wrong.errors);
    }

    void theProgramOfAStepIsPrintedAndTimed() {
        const Workplace place;
        place.write("cnn.toml",
                    "[data]\ndataset = \"digits\"\n[model]\nlayers = [\n"
                    "  { type = \"conv2d\", filters = 4, kernel_size = 3, activation = "
                    "\"relu\" },\n  { type = \"flatten\" },\n"
                    "  { type = \"dense\", units = \"classes\" },\n]\n"
                    "[training]\nglobal_batch_size = 8\n");
        const QString worker = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
        const auto print = [&](const QStringList& arguments) {
            return place.startProgram(worker, arguments)->waitForEnd();
        };
        const Ended printed = print({"--print-program", "cnn.toml"});
        REQUIRE_EXIT(printed, 0);
        QVERIFY2(printed.output.startsWith("batch 8, "), printed.output);
        QVERIFY2(printed.output.contains("  convolution.forward+relu "), printed.output);
        QVERIFY2(!printed.output.contains(" ms "), printed.output);
        const Ended timed = print({"--print-program", "--time", "cnn.toml"});
        REQUIRE_EXIT(timed, 0);
        QVERIFY2(timed.output.contains(" ms of processor time a step, the mean of 10 steps\n"),
                 timed.output);
        QVERIFY2(timed.output.contains(" %  convolution.parameter_gradient "), timed.output);
        // The whole job is meant: what --set changes, and what is wrong with it.
        const Ended larger =
            print({"--print-program", "cnn.toml", "--set", "training.global_batch_size=9"});
        QVERIFY2(larger.output.startsWith("batch 9, "), larger.output);
        const Ended parts =
            print({"--print-program", "cnn.toml", "--set", "training.global_batch_size=9", "--set",
                   "training.gradient_accumulation_steps=2"});
        QVERIFY2(parts.output.startsWith("batch 5, "), parts.output);
        for (const QStringList& wrong :
             {QStringList{"--print-program"}, QStringList{"--time", "cnn.toml"},
              QStringList{"--print-program", "none.toml"},
              QStringList{"--print-program", "--probe", "cnn.toml"}}) {
            const Ended ended = print(wrong);
            REQUIRE_EXIT(ended, 2);
            QCOMPARE(errorsOf(ended).size(), 1);
        }
    }

    void theKubernetesManifestIsYamlOfThreeObjects() {
        const Workplace place;
        const Ended ended = place.run({"export", "job.toml", "--format", "k8s"});
        REQUIRE_EXIT(ended, 0);
        QVERIFY(ended.errors.contains("note: the volume claim lockstep must be there"));
        place.write("manifest.yaml", ended.output);
        const auto reader = place.startProgram(
            "python3", {"-c",
                        "import sys\n"
                        "try:\n import yaml\n"
                        "except ImportError:\n sys.exit(77)\n"
                        "m, s, j = yaml.safe_load_all(open('manifest.yaml'))\n"
                        "pod = j['spec']['template']['spec']\n"
                        "open('pod.toml', 'w').write(m['data']['job.toml'])\n"
                        "print(m['kind'], s['kind'], s['spec']['clusterIP'], j['kind'],"
                        " j['spec']['completionMode'], j['spec']['completions'],"
                        " pod['subdomain'], pod['containers'][0]['command'][0])\n"});
        const Ended read = reader->waitForEnd();
        if (read.exitedWith(77)) QSKIP("python3 has no yaml module (Debian: python3-yaml)");
        REQUIRE_EXIT(read, 0);
        QCOMPARE(read.output.trimmed(),
                 QByteArray("ConfigMap Service None Job Indexed 1 small lockstep-worker"));
        // The pods' job file is the job itself.
        REQUIRE_EXIT(place.run({"lint", "pod.toml"}), 0);
    }

    void aWordThatIsNoImageIsRefused() {
        const Workplace place;
        const Ended ended = place.run({"export", "job.toml", "--format", "k8s", "--image", "a b"});
        REQUIRE_EXIT(ended, 2);
        QVERIFY(ended.output.isEmpty());
    }

    void aJobOfOneProcessIsSaidToHaveOne() {
        const Ended ended = inEnvironment({}, {"lint", "job.toml"});
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(ended.output, QByteArray("job.toml can be launched: 1 process, 1 replica "
                                          "(cluster.devices_per_process is \"all\": on GPUs one "
                                          "for each of a process's GPUs)\n"));
    }

    void dataThatAreNotThereAreAnErrorWithWhatIsExpected() {
        place_.write("mnist.toml",
                     "[data]\ndataset = \"mnist\"\ndirectory = \"nowhere\"\n[model]\n"
                     "layers = [{ units = 10 }]\n");
        const Ended absent = inEnvironment({}, {"lint", "mnist.toml"});
        REQUIRE_EXIT(absent, 2);
        QVERIFY2(absent.errors.startsWith("error: mnist.toml:3:13: data.directory: there is no "
                                          "directory " +
                                          place_.path("nowhere").toUtf8()),
                 absent.errors);
        QVERIFY(absent.errors.contains("train-images-idx3-ubyte, train-labels-idx1-ubyte"));
        QVERIFY(!absent.output.contains("can be launched"));
        QDir().mkdir(place_.path("nowhere"));
        for (const char* name :
             {"train-images-idx3-ubyte", "train-labels-idx1-ubyte.gz", "t10k-labels-idx1-ubyte"})
            place_.write(QString("nowhere/") + name, "x");
        const Ended partly = inEnvironment({}, {"lint", "mnist.toml"});
        REQUIRE_EXIT(partly, 2);
        QVERIFY2(partly.errors.contains("data.directory: t10k-images-idx3-ubyte is missing in"),
                 partly.errors);
        place_.write("nowhere/t10k-images-idx3-ubyte.gz", "x");
        REQUIRE_EXIT(inEnvironment({}, {"lint", "mnist.toml"}), 0);
    }

    void dataThatOnlyOtherHostsNeedAreAWarning() {
        place_.write("remote.toml",
                     "[cluster]\njob_addresses = [\"gpu1:7000\", \"gpu2:7000\"]\n[launch]\n"
                     "method = \"ssh\"\n[data]\ndataset = \"mnist\"\ndirectory = \"/absent\"\n"
                     "[model]\nlayers = [{ units = 10 }]\n");
        const Ended ended = inEnvironment({}, {"lint", "remote.toml"});
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.errors.contains("warning: remote.toml:7:13: data.directory: there is no "
                                       "directory /absent on "),
                 ended.errors);
        QVERIFY(ended.errors.contains("lockstepctl doctor"));
        QVERIFY(ended.output.contains("can be launched: 2 processes, 2 replicas (cluster."));
    }

    void aProgramThatIsNotThereIsAnErrorHereAndLeftToTheDoctorElsewhere() {
        place_.write("program.toml", "[launch]\ncommand = [\"no-such-program\", \"x\"]\n");
        const Ended here = inEnvironment({"PATH=/usr/bin:/bin"}, {"lint", "program.toml"});
        REQUIRE_EXIT(here, 2);
        QVERIFY2(here.errors.startsWith("error: program.toml:2:11: launch.command: there is no "
                                        "program no-such-program on "),
                 here.errors);
        place_.write("elsewhere.toml",
                     "[cluster]\njob_addresses = [\"gpu1:7000\", \"gpu2:7000\"]\n[launch]\n"
                     "method = \"ssh\"\ncommand = [\"no-such-program\", \"x\"]\n");
        REQUIRE_EXIT(inEnvironment({"PATH=/usr/bin:/bin"}, {"lint", "elsewhere.toml"}), 0);
        place_.write("found.toml", "[launch]\ncommand = [\"sh\", \"x\"]\n");
        REQUIRE_EXIT(inEnvironment({"PATH=/usr/bin:/bin"}, {"lint", "found.toml"}), 0);
    }

    void aWarningOfTheCommandLineNamesItsOption() {
        const Workplace place;
        const Ended ended =
            place.run({"run", "job.toml", "--processes", "3", "--set", "training.learning_rate=2"});
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.errors.contains("warning: --set: training.learning_rate is 2, above 1"),
                 ended.errors);
        // 512 samples for three: the batch is the file's.
        QVERIFY2(
            ended.errors.contains("warning: job.toml:14:21: training.global_batch_size is 512, "
                                  "which 3 replicas cannot share evenly"),
            ended.errors);
        const Ended refused = place.run({"run", "job.toml", "--run-dir", "a\nb"});
        REQUIRE_EXIT(refused, 2);
        QVERIFY2(refused.errors.contains("error: --run-dir: job.run_dir is "), refused.errors);
    }

    void aBrokenEnvironmentIsOneErrorWithStatusTwo() {
        const Ended typo = inEnvironment({"TF_CONFIG={\"clutser\":{}}"}, {"lint", "--env"});
        REQUIRE_EXIT(typo, 2);
        QCOMPARE(errorsOf(typo),
                 QStringList("environment: TF_CONFIG: there is no key \"clutser\", did you mean "
                             "\"cluster\"?"));
        QVERIFY(!remedyOf(typo).isEmpty());
    }

    void aJobFileAndAnEnvironmentAreLintedTogether() {
        place_.write("two.toml", kSmallJob + "[cluster.x]\n");
        const Ended both =
            inEnvironment({"KERAS_DISTRIBUTION_PROCESS_ID=x"}, {"lint", "two.toml", "--env"});
        REQUIRE_EXIT(both, 2);
        QCOMPARE(errorsOf(both).size(), 1);
        QVERIFY(both.errors.contains("also: environment: KERAS_DISTRIBUTION_PROCESS_ID is \"x\""));
        const Ended torchrun =
            inEnvironment({"MASTER_ADDR=gpu01", "MASTER_PORT=29500", "WORLD_SIZE=2", "RANK=1"},
                          {"lint", "job.toml", "--env"});
        REQUIRE_EXIT(torchrun, 0);
        QVERIFY(torchrun.output.contains("process_id 1 from RANK\n"));
        QVERIFY(torchrun.errors.contains("the job is written for 1 replica and runs on 2"));
    }

    void whatAnotherProgramSaysIsTranslated() {
        place_.write("pasted",
                     "TF_CONFIG='{\"cluster\":{\"worker\":[\"a:5000\",\"b:5000\"]},"
                     "\"task\":{\"type\":\"worker\",\"index\":1}}'\n");
        const Ended keras = inEnvironment({}, {"env", "--from", "pasted", "--dialect", "keras"});
        REQUIRE_EXIT(keras, 0);
        QCOMPARE(keras.output, QByteArray("KERAS_DISTRIBUTION_JOB_ADDRESSES='a:5000,b:5000'\n"
                                          "KERAS_DISTRIBUTION_NUM_PROCESSES='2'\n"
                                          "KERAS_DISTRIBUTION_PROCESS_ID='1'\n"));
        QCOMPARE(keras.errors,
                 QByteArray("note: understood as TF_CONFIG: 2 workers; this is worker 1\n"));
        const Ended job = inEnvironment({}, {"env", "job.toml", "--from", "pasted"});
        REQUIRE_EXIT(job, 0);
        place_.write("patched.toml", job.output);
        QVERIFY(job.output.contains("job_addresses = [\"a:5000\", \"b:5000\"]"));
        REQUIRE_EXIT(inEnvironment({}, {"lint", "patched.toml"}), 0);
    }

    void whatIsMissingOnTheCommandLineIsSaid() {
        for (const QStringList& arguments :
             {QStringList{"lint"}, QStringList{"env", "job.toml"},
              QStringList{"env", "--from", "none"}, QStringList{"env", "--from", "job.toml"}}) {
            const Ended ended = inEnvironment({}, arguments);
            REQUIRE_EXIT(ended, 2);
            QCOMPARE(errorsOf(ended).size(), 1);
        }
    }

    void aRealOpenMpiIsUnderstood() {
        const QString mpirun = QStandardPaths::findExecutable("mpirun");
        if (mpirun.isEmpty()) QSKIP("mpirun is not installed");
        const Ended ended = in({"PATH=" + qEnvironmentVariable("PATH"), "HOME=" + place_.path("."),
                                "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"},
                               {mpirun, "--oversubscribe", "-n", "2", kProgram, "lint", "--env"});
        if (!ended.output.contains("OMPI_COMM_WORLD_RANK")) QSKIP("mpirun is not Open MPI's");
        REQUIRE_EXIT(ended, 0);
        for (const char* id :
             {"process_id 0 from OMPI_COMM_WORLD_RANK", "process_id 1 from OMPI_COMM_WORLD_RANK"})
            QCOMPARE(ended.output.count(id), 1);
        QCOMPARE(ended.output.count("num_processes 2 from OMPI_COMM_WORLD_SIZE"), 2);
        QCOMPARE(ended.output.count("start_id ompi-"), 2);
    }

private:
    /// A program with these variables and no others.
    Ended in(const QStringList& variables, const QStringList& command) const {
        return place_.startProgram("/usr/bin/env", QStringList{"-i"} + variables + command)
            ->waitForEnd();
    }
    Ended inEnvironment(const QStringList& variables, const QStringList& arguments) const {
        return in(variables, QStringList{kProgram} + arguments);
    }

    Workplace place_;
};

QTEST_GUILESS_MAIN(ConfigCommandsTest)
#include "tst_config_commands.moc"
