// SPDX-License-Identifier: Apache-2.0
// Networks handed over to other programs, and taken from them, as a user does it.
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

const QByteArray kJob = R"([job]
name = "small"
[cluster]
num_processes = 2
evaluator = false
[data]
dataset = "digits"
validation_samples = 59000
[model]
layers = [
  { type = "conv2d", name = "conv", filters = 4, kernel_size = 5, strides = 3, use_bias = false },
  { type = "batch_normalization", name = "bn", activation = "relu", scale = false },
  { type = "flatten" },
  { type = "dense", name = "fc", units = "classes" },
]
[training]
global_batch_size = 100
epochs = 1
seed = 1
)";

/// The same network that begins with a file, and does not move.
QByteArray jobFrom(const QByteArray& weights) {
    QByteArray job = kJob;
    job.replace("[model]\n", "[model]\ninitial_weights = " + weights + "\n");
    return job.replace("seed = 1", "seed = 2\nlearning_rate = 1e-30");
}

}  // namespace

class HandoverTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        place_.write("job.toml", kJob);
        REQUIRE_EXIT(place_.run({"run", "job.toml", "--run-dir", "run"}), 0);
        REQUIRE_EXIT(
            place_.run({"export", "run", "--format", "safetensors", "-o", "w.safetensors"}), 0);
    }

    void aNetworkIsWrittenToAFileOfItsNameOrToStandardOutput() {
        const Ended named = place_.run({"export", "run", "--format", "onnx"});
        REQUIRE_EXIT(named, 0);
        QVERIFY2(named.output.startsWith("small-step-10.onnx: the network of step 10"),
                 named.output.constData());
        const Ended streamed =
            place_.run({"export", "run/checkpoints/step-10", "--format", "onnx", "-o", "-"});
        REQUIRE_EXIT(streamed, 0);
        QCOMPARE(streamed.output, place_.read("small-step-10.onnx"));
        QVERIFY(streamed.output.contains("lockstep.samples") &&
                streamed.output.contains("running_var"));
        const QByteArray weights = place_.read("w.safetensors");
        for (const char* part : {"\"fc.weight\"", "\"bn.weight\"", "\"bn.num_batches_tracked\"",
                                 "\"format\":\"pt\"", "\"lockstep.step\":\"10\""})
            QVERIFY2(weights.contains(part), part);
    }

    void whatCannotBeExportedIsToldInASentence() {
        const auto refusal = [this](const QStringList& arguments) {
            const Ended ended = place_.run(QStringList{"export"} + arguments);
            return errorsOf(ended).join("|") + (ended.exitedWith(0) ? " BUT DONE" : "");
        };
        QVERIFY(
            refusal({"run", "--format", "onnx", "--best"}).contains("keeps no best checkpoint"));
        QVERIFY(refusal({"run", "--format", "html", "--best"}).contains("--best is of a network"));
        QVERIFY(refusal({"run", "--format", "csv", "-o", "x"}).contains("standard output"));
        QVERIFY(refusal({"run/checkpoints", "--format", "onnx"}).contains("holds no run"));
        QDir().mkdir(place_.path("step-3"));
        place_.write("step-3/manifest.json", "{}");
        QVERIFY(refusal({"step-3", "--format", "onnx"}).contains("a checkpoint outside its run"));
    }

    void anExportedNetworkIsTrainedOn() {
        place_.write("on.toml", jobFrom("\"w.safetensors\""));
        REQUIRE_EXIT(place_.run({"lint", "on.toml"}), 0);
        REQUIRE_EXIT(place_.run({"run", "on.toml", "--run-dir", "on"}), 0);
        const QString hash = place_.summary("on")["initial_weights"].toString();
        QCOMPARE(hash.size(), 32);
        QVERIFY(place_.read("on/logs/process-0.log").contains("begins with 6 tensors of"));

        // What it resumes from knows its weights; the file may be gone.
        QVERIFY(QFile::rename(place_.path("w.safetensors"), place_.path("away")));
        REQUIRE_EXIT(place_.run({"run", "on.toml", "--run-dir", "on", "--resume", "--set",
                                 "training.epochs=2"}),
                     0);
        QVERIFY(QFile::rename(place_.path("away"), place_.path("w.safetensors")));
        QCOMPARE(place_.summary("on")["initial_weights"].toString(), hash);
        QCOMPARE(place_.readJson("on/checkpoints/step-20/state.json")["initial_weights"].toString(),
                 hash);

        // A rate of zero: weights are still those of the file, but for the statistics.
        REQUIRE_EXIT(place_.run({"export", "on", "--format", "safetensors", "-o", "x.safetensors"}),
                     0);
        QCOMPARE(classifierOf("x.safetensors"), classifierOf("w.safetensors"));
    }

    void aFileThatDoesNotFitIsRefusedBeforeTheFirstStep() {
        place_.write("bad.toml", jobFrom("\"w.safetensors\"").replace("\"fc\"", "\"head\""));
        for (const char* verb : {"lint", "run"}) {
            QStringList arguments{verb, "bad.toml"};
            if (arguments[0] == "run")
                arguments << "--run-dir"
                          << "bad";
            const Ended ended = place_.run(arguments);
            REQUIRE_EXIT(ended, 2);
            const QString said = errorsOf(ended).join("|");
            QVERIFY2(said.contains("it lacks head.weight, head.bias; it has fc.bias, fc.weight"),
                     ended.words().constData());
        }
        QVERIFY(!place_.exists("bad"));
        place_.write("fit.toml", jobFrom("{ file = \"w.safetensors\", rename = { \"fc.\" = "
                                         "\"head.\" } }")
                                     .replace("\"fc\"", "\"head\""));
        REQUIRE_EXIT(place_.run({"run", "fit.toml", "--run-dir", "fit"}), 0);
    }

    void optionsThatSayNothingAreRefused() {
        place_.write("x.png", "no image");
        const auto refusal = [this](const QStringList& arguments) {
            const Ended ended = place_.run(arguments);
            return ended.exitedWith(2) ? errorsOf(ended).join("|") : "NOT REFUSED";
        };
        for (const char* option : {"--prompt", "--tokens", "--temperature", "--seed"}) {
            const QString said = refusal({"predict", "run", "x.png", option, "1"});
            QVERIFY2(said.contains(QString(option) + " is for networks of text"), qPrintable(said));
        }
        for (const char* option : {"--image", "--claim"})
            for (const char* format : {"csv", "onnx", "safetensors"})
                QVERIFY2(refusal({"export", "run", "--format", format, option, "a"})
                             .contains(QString(option) + " is for k8s"),
                         option);
        for (const QStringList& command :
             {QStringList{"predict", "run/checkpoints/step-10", "x.png", "--best"},
              QStringList{"export", "run/checkpoints/step-10", "--format", "onnx", "--best"}})
            QVERIFY2(refusal(command).contains("--best names another checkpoint than run/"),
                     qPrintable(refusal(command)));
    }

    void outputThatCannotBeWrittenIsSaid() {
        for (const char* command :
             {"lockstepctl data job.toml", "lockstepctl data job.toml --json",
              "lockstepctl evaluate run", "lockstepctl predict run x.png --json",
              "lockstep-worker --print-program job.toml"}) {
            const QString line =
                QString("exec " LOCKSTEP_BINARY_DIR "/bin/%1 > /dev/full").arg(command);
            const Ended ended = place_.startProgram("/bin/sh", {"-c", line})->waitForEnd();
            QVERIFY2(!ended.exitedWith(0), command);
            QVERIFY2(errorsOf(ended).join("|").contains("cannot write to standard output"),
                     ended.words().constData());
        }
    }

private:
    /// The bytes of fc.weight.
    [[nodiscard]] QByteArray classifierOf(const QString& name) const {
        const QByteArray file = place_.read(name);
        const qsizetype fc = file.indexOf("\"fc.weight\"");
        const qsizetype begin = file.indexOf("data_offsets\":[", fc) + 15;
        const QByteArray offsets = file.mid(begin, file.indexOf(']', begin) - begin);
        const auto ends = offsets.split(',');
        quint64 header = 0;
        memcpy(&header, file.constData(), sizeof header);
        const auto data = static_cast<qsizetype>(8 + header);
        return file.mid(data + ends[0].toLongLong(), ends[1].toLongLong() - ends[0].toLongLong());
    }

    Workplace place_;
};

QTEST_GUILESS_MAIN(HandoverTest)
#include "tst_handover.moc"
