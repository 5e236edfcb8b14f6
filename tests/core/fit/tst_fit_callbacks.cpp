// SPDX-License-Identifier: Apache-2.0
// What callbacks of a program hear of a training, and how they end it; scoring on several devices.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/fit/scoring.h"
#include "core/train/handover/saved_network.h"
#include "tests/core/fit/two_moons.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

/// Writes down all that it hears.
class Diary final : public fit::Callback {
public:
    void onTrainBegin() override { lines << "begin"; }
    void onEpochBegin(int epoch) override { lines << QString("epoch %1").arg(epoch); }
    void onTrainBatchBegin(const fit::BatchFigures& before) override {
        lines << QString("batch %1").arg(before.batch);
        lossesBefore.push_back(before.loss);
    }
    bool onTrainBatchEnd(const fit::BatchFigures& batch) override {
        lines << QString("step %1").arg(batch.step);
        losses.push_back(batch.loss);
        accuracies.push_back(batch.accuracy);
        return batch.step != lastButOne;
    }
    bool onEpochEnd(const fit::EpochFigures& epoch) override {
        lines << QString("end of %1").arg(epoch.epoch);
        return true;
    }
    void onTrainEnd(const fit::History&) override { lines << "end"; }

    std::int64_t lastButOne = 0;
    QStringList lines;
    std::vector<double> lossesBefore;
    std::vector<double> losses;
    std::vector<double> accuracies;
};

}  // namespace

class FitCallbacksTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    int runs_ = 0;

    fit::FitOptions options(const std::shared_ptr<Diary>& diary) {
        return {.epochs = 2,
                .callbacks = {diary},
                .runFolder = folder_.filePath(QString("run-%1").arg(++runs_)).toStdString(),
                .seed = 1};
    }

private slots:
    void callbacksHearOfEpochsAndBatchesInTheirOrder() {
        const auto diary = std::make_shared<Diary>();
        auto model = moonsModel();
        const auto history = model.fit(Moons(60).dataset().batch(20), options(diary));
        QCOMPARE(refusal(history), std::string("it went well"));
        const QStringList epoch{"batch 0", "step %1", "batch 1", "step %2", "batch 2", "step %3"};
        const QString both = epoch.join(' ');
        QCOMPARE(diary->lines.join(' '), "begin epoch 1 " + both.arg(1).arg(2).arg(3) +
                                             " end of 1 epoch 2 " + both.arg(4).arg(5).arg(6) +
                                             " end of 2 end");
        // As Keras' logs: means over the epoch so far.
        QVERIFY(std::isnan(diary->lossesBefore[0]) && std::isnan(diary->lossesBefore[3]));
        QCOMPARE(diary->lossesBefore[4], diary->losses[3]);
        for (const std::size_t i : {0U, 1U}) {
            QCOMPARE(diary->losses[3 * i + 2], history->values.at("loss")[i]);
            QCOMPARE(diary->accuracies[3 * i + 2], history->values.at("accuracy")[i]);
        }
    }

    void aNoBehindABatchEndsTheTrainingBehindTheNextAndFitGoesOn() {
        const auto diary = std::make_shared<Diary>();
        diary->lastButOne = 3;
        auto model = moonsModel();
        const auto data = Moons(120).dataset().batch(20);
        const auto stopped = model.fit(data, options(diary));
        QCOMPARE(refusal(stopped), std::string("it went well"));
        QCOMPARE(stopped->status, std::string("stopped"));
        QCOMPARE(stopped->steps, std::int64_t{4});
        QCOMPARE(diary->lines.mid(diary->lines.size() - 2), (QStringList{"step 4", "end"}));
        // The epoch is ended, and the second one follows.
        auto more = options(diary);
        more.runFolder.clear();
        const auto ended = model.fit(data, more);
        QCOMPARE(refusal(ended), std::string("it went well"));
        QCOMPARE(ended->status, std::string("completed"));
        QCOMPARE(ended->steps, std::int64_t{12});
        auto undisturbed = moonsModel();
        const auto whole = undisturbed.fit(data, options(std::make_shared<Diary>()));
        QCOMPARE(ended->stateHash, whole->stateHash);
    }

    void samplesAreScoredToTheSameBitsOnHoweverManyDevices() {
        auto model = moonsModel({"top_2_accuracy"});
        const auto history =
            model.fit(Moons(60).dataset().batch(20), options(std::make_shared<Diary>()));
        QCOMPARE(refusal(history), std::string("it went well"));
        const auto saved = train::openSaved(model.runFolder(), train::WhichCheckpoint::Result,
                                            [](const std::string&) {});
        QVERIFY(saved.has_value());
        const Moons many(1500, 4);  // six batches, the last one short
        const auto one = fit::scoreSamples(*saved, {many.x, many.y}, 1);
        QCOMPARE(refusal(one), std::string("it went well"));
        for (const int devices : {2, 3, 16}) {
            const auto scores = fit::scoreSamples(*saved, {many.x, many.y}, devices);
            QCOMPARE(refusal(scores), std::string("it went well"));
            QVERIFY(*scores == *one);
        }
        QVERIFY(model.evaluate(many.dataset()).value() == *one);
    }
};

QTEST_GUILESS_MAIN(FitCallbacksTest)
#include "tst_fit_callbacks.moc"
