// SPDX-License-Identifier: Apache-2.0
// training.tune: what one process measured is what all compute with, and what a resume goes on
// with.
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

constexpr auto kJob = R"(
[job]
name = "tuned"

[cluster]
num_processes = 2
device = "cpu"
evaluator = false
[data]
dataset = "digits"
validation_samples = 512
[model]
layers = [
  { type = "reshape", target_shape = [28, 28, 1] },
  { type = "conv2d", filters = 16, kernel_size = 3, activation = "relu" },
  { type = "conv2d", filters = 16, kernel_size = 3, activation = "relu" },
  { type = "global_average_pooling2d" },
  { type = "dense", units = 10 },
]
[training]
global_batch_size = 32
steps = 12
seed = 3
tune = true
[checkpoint]
every_steps = 6
)";

const QStringList kRun{"run", "job.toml", "--run-dir"};

}  // namespace

class TunedTrainingTest : public QObject {
    Q_OBJECT

private:
    Workplace place_;

    [[nodiscard]] QJsonObject convolutionsOf(const QString& run, const QString& step) const {
        return place_.readJson(run + "/checkpoints/" + step + "/state.json")["convolutions"]
            .toObject();
    }
    [[nodiscard]] Ended train(const QString& run, const QStringList& more = {}) const {
        return place_.run(kRun + QStringList{run} + more);
    }

private slots:
    void initTestCase() { place_.write("job.toml", kJob); }

    void aCheckpointKeepsWhatWasChosen() {
        REQUIRE_EXIT(train("whole"), 0);
        const QJsonObject chosen = convolutionsOf("whole", "step-12");
        // Both layers' results and weights, and the second one's input.
        QCOMPARE(chosen.size(), 5);
        QVERIFY(chosen.contains("weights of 26x26x16 by 3x3x16"));
        for (const QJsonValue& method : chosen)
            QVERIFY(QStringList({"tiles", "direct", "product"}).contains(method.toString()));
        const QByteArray log = place_.read("whole/logs/process-0.log");
        QVERIFY2(log.contains("training.tune took"), log);
    }
    /// Without what the checkpoint says, this resume would choose otherwise.
    void aResumeGoesOnWithTheChoiceOfItsCheckpoint() {
        REQUIRE_EXIT(train("cut", {"--set", "training.steps=6"}), 0);
        const QString state = "cut/checkpoints/step-6/state.json";
        QVERIFY(place_.exists(state));
        const QJsonObject before = convolutionsOf("cut", "step-6");
        REQUIRE_EXIT(train("cut", {"--resume"}), 0);
        QCOMPARE(convolutionsOf("cut", "step-12"), before);
    }
    void aJobThatDoesNotAskComputesByTheShippedRule() {
        REQUIRE_EXIT(train("plain", {"--set", "training.tune=false"}), 0);
        QVERIFY(convolutionsOf("plain", "step-12").isEmpty());
    }
    void lintSaysThatItIsForProcessors() {
        place_.write("gpu.toml", QByteArray(kJob).replace("\"cpu\"", "\"gpu\""));
        const Ended lint = place_.run({"lint", "gpu.toml"});
        QVERIFY2(lint.errors.contains("training.tune chooses among methods of the processor"),
                 lint.errors);
    }
};

QTEST_GUILESS_MAIN(TunedTrainingTest)
#include "tst_tuned_training.moc"
