// SPDX-License-Identifier: Apache-2.0
// A program trains a network on tensors of its own, scores it and asks it.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "core/text/json.h"
#include "tests/core/fit/two_moons.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

std::string textOf(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

text::Json summaryOf(const std::filesystem::path& run) {
    return text::parseJson(textOf(run / "summary.json")).value();
}

/// The cells of a run's epochs.csv below its header, by the header's names.
std::vector<std::map<std::string, std::string>> epochsCsv(const std::filesystem::path& run) {
    const QStringList lines =
        QString::fromStdString(textOf(run / "epochs.csv")).split('\n', Qt::SkipEmptyParts);
    const QStringList names = lines.value(0).split(',');
    std::vector<std::map<std::string, std::string>> rows;
    for (const QString& line : lines.mid(1)) {
        const QStringList cells = line.split(',');
        auto& row = rows.emplace_back();
        for (qsizetype i = 0; i < names.size(); ++i)
            row[names[i].toStdString()] = cells.value(i).toStdString();
    }
    return rows;
}

}  // namespace

class ModelFitTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    int runs_ = 0;

    std::filesystem::path newRun() {
        return folder_.filePath(QString("run-%1").arg(++runs_)).toStdString();
    }

private slots:
    void aNetworkLearnsFromTensorsOfTheProgram() {
        const Moons train(600);
        const Moons validation(200, 2);
        auto model = moonsModel({"top_2_accuracy"});
        const auto history = model.fit(train.dataset().shuffle(600).batch(32).prefetch(2),
                                       {.validation = validation.dataset().batch(64),
                                        .epochs = 12,
                                        .runFolder = newRun(),
                                        .seed = 1});
        QVERIFY2(history.has_value(), refusal(history).c_str());
        QCOMPARE(history->status, std::string("completed"));
        QCOMPARE(history->epochs.size(), std::size_t{12});
        QCOMPARE(history->steps, std::int64_t{12 * 19});
        for (const char* name : {"loss", "accuracy", "top_2_accuracy", "val_loss", "val_accuracy",
                                 "val_top_2_accuracy"})
            QCOMPARE(history->values.at(name).size(), std::size_t{12});
        QVERIFY(history->values.at("loss").back() < 0.5 * history->values.at("loss").front());
        QVERIFY(history->values.at("val_accuracy").back() > 0.9);
        QCOMPARE(history->values.at("top_2_accuracy").back(), 1.0);

        const auto scores = model.evaluate(validation.dataset().batch(50));
        QVERIFY2(scores.has_value(), refusal(scores).c_str());
        QVERIFY(std::abs(scores->at("loss") - history->values.at("val_loss").back()) < 1e-6);
        QCOMPARE(scores->at("accuracy"), history->values.at("val_accuracy").back());

        const auto outputs = model.predict(validation.x);
        QVERIFY2(outputs.has_value(), refusal(outputs).c_str());
        QCOMPARE(outputs->shape(), (std::vector<std::uint64_t>{200, 2}));
        int right = 0;
        for (std::uint64_t i = 0; i < 200; ++i)
            right += (outputs->at(2 * i + 1) > outputs->at(2 * i)) == (validation.y.at(i) > 0.5);
        QCOMPARE(right / 200.0, scores->at("accuracy"));
    }

    void theHistoryIsWhatTheRunsTableSays() {
        const Moons moons(200);
        auto model = moonsModel();
        const auto history =
            model.fit(moons.dataset().batch(20), {.validation = Moons(50, 3).dataset(),
                                                  .epochs = 3,
                                                  .runFolder = newRun(),
                                                  .seed = 4,
                                                  .settings = {{"log.csv", true}}});
        QVERIFY2(history.has_value(), refusal(history).c_str());
        const auto rows = epochsCsv(history->runFolder);
        QCOMPARE(rows.size(), std::size_t{3});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(std::stoi(rows[i].at("epoch")), history->epochs[i]);
            for (const auto& [column, name] :
                 {std::pair{"train_loss", "loss"}, std::pair{"train_accuracy", "accuracy"},
                  std::pair{"validation_loss", "val_loss"},
                  std::pair{"validation_accuracy", "val_accuracy"}}) {
                const double here = history->values.at(name)[i];
                QVERIFY2(std::abs(std::stod(rows[i].at(column)) - here) < 1e-8 * (1 + here), name);
            }
        }
    }

    void evaluateAndPredictSayWhatTheTerminalSaysOfTheRun() {
        const Moons train(200);
        const Moons validation(60, 5);
        auto model = moonsModel();
        const auto history = model.fit(
            train.dataset().batch(20),
            {.validation = validation.dataset(), .epochs = 2, .runFolder = newRun(), .seed = 4});
        QVERIFY2(history.has_value(), refusal(history).c_str());
        QProcess terminal;
        const QString scoresFile = folder_.filePath("scores.json");
        terminal.start(LOCKSTEP_BINARY_DIR "/bin/lockstepctl",
                       {"evaluate", QString::fromStdString(history->runFolder.string()), "--json",
                        scoresFile});
        QVERIFY(terminal.waitForFinished(60'000));
        QCOMPARE(terminal.exitCode(), 0);
        const auto told = text::parseJson(textOf(scoresFile.toStdString())).value();
        const auto scores = model.evaluate(validation.dataset());
        QVERIFY2(scores.has_value(), refusal(scores).c_str());
        QCOMPARE(told.items().front().get<std::string>("split").value(), std::string("validation"));
        QCOMPARE(told.items().front().get<double>("loss").value(), scores->at("loss"));
        QCOMPARE(told.items().front().get<double>("accuracy").value(), scores->at("accuracy"));
    }

    /// As the guide's evaluator does: it is none of the processes that have trained.
    void aProgramOfItsOwnEvaluatesWhatARunHasComeTo() {
        const Moons validation(60, 5);
        std::filesystem::path run;
        double loss = 0;
        {
            auto model = moonsModel();
            const auto history =
                model.fit(Moons(200).dataset().batch(20),
                          {.validation = validation.dataset(), .epochs = 2, .runFolder = newRun()});
            QVERIFY2(history.has_value(), refusal(history).c_str());
            run = history->runFolder;
            loss = history->values.at("val_loss").back();
        }
        auto model = fit::Model::fromRun(run);
        QVERIFY2(model.has_value(), refusal(model).c_str());
        const auto scores = model->evaluate(validation.dataset().batch(7));
        QVERIFY2(scores.has_value(), refusal(scores).c_str());
        QVERIFY(std::abs(scores->at("loss") - loss) < 1e-6);
    }

    void aCallbackThatHasEnoughEndsTheTraining() {
        const Moons moons(100);
        auto model = moonsModel();
        std::vector<int> seen;
        bool ended = false;
        class Watch final : public fit::Callback {
        public:
            explicit Watch(bool& over) : over_(over) {}
            void onTrainEnd(const fit::History& history) override {
                over_ = history.stoppedEarlyAtEpoch == 2;
            }

        private:
            bool& over_;
        };
        const auto history =
            model.fit(moons.dataset().batch(10),
                      {.validation = {},
                       .epochs = 50,
                       .callbacks = {fit::onEpochEnd([&](const fit::EpochFigures& epoch) {
                                         seen.push_back(epoch.epoch);
                                         return epoch.epoch < 2;
                                     }),
                                     std::make_shared<Watch>(ended)},
                       .runFolder = newRun()});
        QVERIFY2(history.has_value(), refusal(history).c_str());
        QCOMPARE(seen, (std::vector<int>{1, 2}));
        QVERIFY(ended);
        QCOMPARE(history->status, std::string("completed"));
        QCOMPARE(history->steps, std::int64_t{20});
        QCOMPARE(history->stoppedBecause, std::string("a callback of process 0 asked for it"));
        const auto summary = summaryOf(history->runFolder);
        QCOMPARE(summary.get<int>("stopped_early_at_epoch").value(), 2);
        QVERIFY(std::filesystem::exists(history->runFolder / "checkpoints" / "LATEST"));
        QVERIFY(model.predict(moons.x).has_value());
    }

    void fitAgainGoesOnAsOneTrainingWould() {
        const Moons moons(96);
        const auto data = moons.dataset().shuffle(96).batch(16);
        const auto options = [this](int epochs) {
            return fit::FitOptions{.validation = {},
                                   .epochs = epochs,
                                   .callbacks = {},
                                   .runFolder = newRun(),
                                   .seed = 9};
        };
        auto whole = moonsModel();
        const auto atOnce = whole.fit(data, options(4));
        QVERIFY2(atOnce.has_value(), refusal(atOnce).c_str());
        auto parts = moonsModel();
        QVERIFY(parts.fit(data, options(1)).has_value());
        const auto rest = parts.fit(data, {.validation = {}, .epochs = 3});
        QVERIFY2(rest.has_value(), refusal(rest).c_str());
        QCOMPARE(rest->epochs, (std::vector<int>{2, 3, 4}));
        QCOMPARE(rest->stateHash, atOnce->stateHash);
        const auto others = parts.fit(Moons(96, 7).dataset().batch(16), {});
        QVERIFY2(refusal(others).find("was trained on other data") != std::string::npos,
                 refusal(others).c_str());
        auto again = fit::Model::fromRun(atOnce->runFolder);
        QVERIFY2(again.has_value(), refusal(again).c_str());
        QVERIFY(again->predict(moons.x).value() == whole.predict(moons.x).value());
    }

    void whatEarlyStoppingHasEndedIsGoneOnWithByTheNextFit() {
        // Nothing gets better by 1: patience ends it behind epoch 3, whose best was the first.
        const std::vector<fit::Option> impatient{{"early_stopping.monitor", "validation_loss"},
                                                 {"early_stopping.patience", 2},
                                                 {"early_stopping.min_delta", 1.0},
                                                 {"early_stopping.restore_best", true}};
        const Moons moons(96);
        const auto data = moons.dataset().batch(16);
        const auto validation = Moons(40, 2).dataset();
        auto model = moonsModel();
        const auto first = model.fit(data, {.validation = validation,
                                            .epochs = 9,
                                            .runFolder = newRun(),
                                            .seed = 4,
                                            .settings = impatient});
        QVERIFY2(first.has_value(), refusal(first).c_str());
        QCOMPARE(first->epochs, (std::vector<int>{1, 2, 3}));
        const auto second = model.fit(
            data, {.validation = validation, .epochs = 2, .seed = 4, .settings = impatient});
        QVERIFY2(second.has_value(), refusal(second).c_str());
        QCOMPARE(second->epochs, (std::vector<int>{4, 5}));
        // Another program, to which the best epoch's weights are what the run has come to.
        auto opened = fit::Model::fromRun(first->runFolder);
        QVERIFY2(opened.has_value(), refusal(opened).c_str());
        const auto third = opened->fit(
            data, {.validation = validation, .epochs = 1, .seed = 4, .settings = impatient});
        QVERIFY2(third.has_value(), refusal(third).c_str());
        QCOMPARE(third->epochs, (std::vector<int>{6}));
        const auto none = opened->fit(data, {.validation = validation, .epochs = 0, .seed = 4});
        QCOMPARE(refusal(none), std::string("fit(): 0 epochs were asked for"));
    }

    void whatIsAskedComesInTheOrderOfTheTensors() {
        const Moons moons(50);
        auto model = moonsModel();
        const auto history = model.fit(moons.dataset().batch(10),
                                       {.validation = {}, .runFolder = newRun(), .seed = 1});
        QVERIFY2(history.has_value(), refusal(history).c_str());
        const auto straight = model.predict(moons.x).value();
        const auto shuffled = moons.dataset().shuffle(50);
        QVERIFY(model.predict(shuffled).value() == straight);
        QVERIFY(model.predict(shuffled.batch(7, true).prefetch(2)).value() == straight);
        QCOMPARE(model.evaluate(shuffled.batch(7, true)).value(),
                 model.evaluate(moons.dataset()).value());
        // Of what is kept the order is what an iteration shows.
        const auto kept = shuffled.cache();
        const auto answers = model.predict(kept).value();
        auto each = kept.iterate().value();
        for (std::uint64_t i = 0; i < 50; ++i) {
            const auto element = each.next().value().value();
            const auto alone =
                model.predict(fit::Tensor::stack(std::vector{element.x}).value()).value();
            QCOMPARE(alone.at(0), answers.at(2 * i));
        }
    }

    void theOrderOfTheSamplesIsTheDatasets() {
        const Moons moons(40);
        const auto hashOf = [&](const fit::Dataset& data) {
            auto model = moonsModel();
            const auto history = model.fit(
                data,
                {.validation = {}, .epochs = 2, .callbacks = {}, .runFolder = newRun(), .seed = 3});
            return history ? history->stateHash : refusal(history);
        };
        const auto plain = moons.dataset();
        const std::string inOrder = hashOf(plain.batch(8));
        QCOMPARE(hashOf(plain.shuffle(1).batch(8)), inOrder);
        QCOMPARE(hashOf(plain.shuffle(40).batch(8)), hashOf(plain.shuffle(1000).batch(8)));
        QVERIFY(hashOf(plain.shuffle(40).batch(8)) != inOrder);
        QVERIFY(hashOf(plain.shuffle(4).batch(8)) != hashOf(plain.shuffle(40).batch(8)));
        const fit::ShuffleOptions once{.seed = 5, .reshuffleEachIteration = false};
        const fit::ShuffleOptions anew{.seed = 5};
        QVERIFY(hashOf(plain.shuffle(40, once).batch(8)) !=
                hashOf(plain.shuffle(40, anew).batch(8)));
        // What cache() has kept comes in the order of the first iteration, every time.
        QCOMPARE(hashOf(plain.shuffle(40, anew).batch(8).cache()),
                 hashOf(plain.shuffle(40, once).batch(8)));
        const auto odd = fit::Dataset::fromTensors(moons.x, moons.y).shard(2, 1);
        QVERIFY(hashOf(odd.batch(8)) != inOrder);
    }
};

QTEST_GUILESS_MAIN(ModelFitTest)
#include "tst_model_fit.moc"
