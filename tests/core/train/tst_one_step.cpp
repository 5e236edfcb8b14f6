// SPDX-License-Identifier: Apache-2.0
// A step from a checkpoint is the same on one replica and on several: its pixels, loss, gradients
// and statistics. ./dev accept replicas does this from 200 checkpoints on the real MNIST.
#include <QtTest>

#include "core/model/description/read_description.h"
#include "tests/core/train/one_step.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

config::JobSpec convolutional() {
    const std::string text = R"(layers = [
        { type = "conv2d", filters = 6, kernel_size = 3, strides = 2, use_bias = false },
        { type = "batch_normalization", scale = false },
        { type = "activation", activation = "relu" },
        { type = "conv2d", filters = 8, kernel_size = 4, strides = 2, use_bias = false },
        { type = "batch_normalization", scale = false, activation = "relu" },
        { type = "global_average_pooling2d" },
        { type = "dropout", rate = 0.5 },
        { type = "dense", units = "classes" },
    ])";
    using config::AugmentationKind;
    auto spec = smallSpec({});
    spec.model = {
        .isDescribed = true,
        .description = model::readDescription(config::parseToml(text).value()).description};
    spec.data.augment = {{.kind = AugmentationKind::RandomRotation, .range = {-0.1, 0.1}},
                         {.kind = AugmentationKind::MixUp, .probability = 0.5}};
    spec.training.epochs = 10;
    spec.checkpoint.everySteps = 3;
    return spec;
}

}  // namespace

class OneStepTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { flushDenormals(); }

    void aStepFromACheckpointIsThatOfOneReplica() {
        auto data = smallDigits(101, 8, 8);  // an epoch's fourth batch has five samples
        data.augment = convolutional().data.augment;
        const SmallJob small(convolutional(), data);
        std::vector<checkpoint::LoadedCheckpoint> checkpoints;
        RecordedEvents events;
        events.onCheckpoint = [&checkpoints](const checkpoint::Snapshot& snapshot) {
            checkpoints.push_back(ownCopy(snapshot));
        };
        Spread spread{.start = {.seed = 1}, .totalSteps = 30, .events = &events};
        QVERIFY(trainSmall(small, spread).outcomes[0]);
        QCOMPARE(checkpoints.size(), std::size_t{10});
        for (const auto& from : checkpoints) {
            const StepTaken one = stepFrom(small, from, {{1}});
            QCOMPARE(one.failure, std::string());
            QCOMPARE(one.statistics.size(), std::size_t{4});
            for (const auto& hosts : {std::vector<std::vector<int>>{{1, 1}}, {{2}, {1, 1}}}) {
                const StepTaken many = stepFrom(small, from, hosts);
                QCOMPARE(many.failure, std::string());
                const Apart far = apart(one, many);
                QVERIFY(far.samePixels);
                QVERIFY2(far.loss < 1e-5 && far.gradients < 1e-5 && far.statistics < 1e-5,
                         qPrintable(QString("step %1: loss %2, gradient of %3 %4, statistics %5")
                                        .arg(from.state.step + 1)
                                        .arg(far.loss)
                                        .arg(far.worstGradient.c_str())
                                        .arg(far.gradients)
                                        .arg(far.statistics)));
            }
        }
        // The next checkpoint's step differs in all of it, so equality says something.
        const Apart other =
            apart(stepFrom(small, checkpoints[0], {{1}}), stepFrom(small, checkpoints[1], {{1}}));
        QVERIFY(!other.samePixels);
        QVERIFY(other.loss > 1e-3 && other.gradients > 1e-2 && other.statistics > 1e-3);
    }
    void aWorkerLogsItsBatchesWhereTheEnvironmentSaysSo() {
        const QTemporaryDir folder;
        qputenv("LOCKSTEP_BATCH_SUMS", folder.path().toUtf8());
        const auto watch = train::batchWatchOfEnvironment(3);
        QVERIFY(watch && *watch);
        (*watch)(7, 0xabc);
        (*watch)(8, 1);
        QFile file(folder.filePath("replica-3.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("7 0000000000000abc\n8 0000000000000001\n"));
        qputenv("LOCKSTEP_BATCH_SUMS", folder.filePath("none").toUtf8());
        const auto without = train::batchWatchOfEnvironment(3);
        QVERIFY(!without && without.error().code == ErrorCode::BadInput);
        qunsetenv("LOCKSTEP_BATCH_SUMS");
        const auto unasked = train::batchWatchOfEnvironment(3);
        QVERIFY(unasked && !*unasked);
    }
};

QTEST_GUILESS_MAIN(OneStepTest)
#include "tst_one_step.moc"
