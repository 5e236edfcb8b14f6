// SPDX-License-Identifier: Apache-2.0
// Tensors of every kind that a network takes: images, whole numbers of a vocabulary, numbers to be
// predicted; models of job files, and weights that a training begins with.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>

#include "core/base/rng.h"
#include "tests/core/fit/two_moons.h"

using namespace lockstep;
using namespace lockstep::tests;
using fit::Dataset;
using fit::Model;
using fit::Tensor;

namespace {

constexpr std::uint64_t kImages = 120;

/// Images of 6 x 6 bytes, bright in the upper or in the lower half.
Dataset images() {
    CounterRng random(3);
    std::vector<std::uint8_t> pixels;
    std::vector<std::int32_t> classes;
    for (std::uint64_t i = 0; i < kImages; ++i) {
        const bool lower = random.nextBelow(2) == 1;
        for (std::uint32_t p = 0; p < 36; ++p)
            pixels.push_back(
                static_cast<std::uint8_t>(random.nextBelow(100) + ((p >= 18) == lower ? 120 : 0)));
        classes.push_back(lower ? 1 : 0);
    }
    return Dataset::fromTensors(Tensor::make(pixels, {kImages, 6, 6}).value(),
                                Tensor::ofValues(classes));
}

}  // namespace

class FitKindsTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    int runs_ = 0;

    fit::FitOptions options(int epochs) {
        return {.validation = {},
                .epochs = epochs,
                .callbacks = {},
                .runFolder = folder_.filePath(QString("run-%1").arg(++runs_)).toStdString(),
                .seed = 1};
    }

private slots:
    void imagesOfBytesReachTheNetworkBetween0And1() {
        auto model = Model::sequential({{"conv2d",
                                         {{"filters", 4},
                                          {"kernel_size", std::vector<std::int64_t>{3, 3}},
                                          {"activation", "relu"}}},
                                        {"flatten"},
                                        {"dense", {{"units", 2}}}});
        QVERIFY2(model.has_value(), refusal(model).c_str());
        QVERIFY(model->compile({"adam", {{"learning_rate", 0.01}}}).has_value());
        auto asked = options(8);
        asked.validation = images().batch(10);
        const auto history = model->fit(images().shuffle(kImages).batch(12), asked);
        QVERIFY2(history.has_value(), refusal(history).c_str());
        QVERIFY(history->values.at("val_accuracy").back() > 0.95);
        const auto scores = model->evaluate(images());
        QVERIFY2(scores.has_value(), refusal(scores).c_str());
        QCOMPARE(scores->at("accuracy"), history->values.at("val_accuracy").back());
        const Tensor floats = Tensor::make(std::vector<float>(36), {1, 6, 6}).value();
        QVERIFY2(refusal(model->predict(floats)).ends_with("and these are of 6 x 6"),
                 refusal(model->predict(floats)).c_str());
    }

    void numbersArePredictedAndHaveNoAccuracy() {
        std::vector<float> x;
        std::vector<float> y;
        for (int i = 0; i < 64; ++i) {
            x.push_back(static_cast<float>(i) / 32 - 1);
            y.push_back(2 * x.back() + 1);
            y.push_back(-x.back());
        }
        auto model = Model::sequential({{"dense", {{"units", 2}}}}).value();
        QVERIFY(model
                    .compile({"sgd", {{"learning_rate", 0.1}, {"momentum", 0.9}}},
                             {"mean_squared_error"}, {"mean_absolute_error"})
                    .has_value());
        const auto data = Dataset::fromTensors(Tensor::make(x, {64, 1}).value(),
                                               Tensor::make(y, {64, 2}).value());
        const auto history = model.fit(data.shuffle(64).batch(16), options(60));
        QVERIFY2(history.has_value(), refusal(history).c_str());
        QVERIFY(history->values.at("loss").back() < 1e-3);
        QVERIFY(std::isnan(history->values.at("accuracy").back()));
        QVERIFY(history->values.at("mean_absolute_error").back() < 0.03);
        const auto outputs = model.predict(Tensor::make(std::vector<float>{0.5F}, {1, 1}).value());
        QVERIFY2(outputs.has_value(), refusal(outputs).c_str());
        QVERIFY(std::abs(outputs->at(0) - 2) < 0.05 && std::abs(outputs->at(1) + 0.5) < 0.05);
        const auto scores = model.evaluate(data);
        QVERIFY2(scores.has_value(), refusal(scores).c_str());
        QVERIFY(std::isnan(scores->at("accuracy")) && scores->at("loss") < 1e-3);
    }

    void wholeNumbersAreTokensOfAVocabulary() {
        std::vector<std::int32_t> x;
        std::vector<std::int64_t> y;
        for (int i = 0; i < 60; ++i) {
            for (int place = 0; place < 4; ++place)
                x.push_back((i * 7 + place * (i % 3)) % 9);
            y.push_back(x[static_cast<std::size_t>(4 * i)] % 2);
        }
        auto model =
            Model::sequential({{"embedding", {{"input_dim", "vocabulary"}, {"output_dim", 6}}},
                               {"flatten"},
                               {"dense", {{"units", "classes"}}}});
        QVERIFY2(model.has_value(), refusal(model).c_str());
        QVERIFY(model->compile({"adam", {{"learning_rate", 0.02}}}).has_value());
        const auto data =
            Dataset::fromTensors(Tensor::make(x, {60, 4}).value(), Tensor::ofValues(y));
        const auto history = model->fit(data.shuffle(60).batch(10), options(20));
        QVERIFY2(history.has_value(), refusal(history).c_str());
        QVERIFY(history->values.at("accuracy").back() > 0.95);
        const Tensor beyond = Tensor::make(std::vector<std::int32_t>{0, 1, 2, 9}, {1, 4}).value();
        QCOMPARE(refusal(model->predict(beyond)),
                 std::string("the network was trained on whole numbers below 9, and a sample holds "
                             "9"));
    }

    void aModelOfAJobFileIsTheSameAsOneBuiltInCode() {
        const std::filesystem::path file = folder_.filePath("job.toml").toStdString();
        std::ofstream(file)
            << "[model]\nlayers = [\n  { type = \"dense\", units = 16, activation = "
               "\"relu\" },\n  { type = \"dense\", units = 16, activation = "
               "\"relu\" },\n  { type = \"dense\", units = 2 },\n]\n";
        auto ofFile = Model::fromJobFile(file);
        QVERIFY2(ofFile.has_value(), refusal(ofFile).c_str());
        QVERIFY(ofFile->compile({"adam", {{"learning_rate", 0.01}}}).has_value());
        auto ofCode = moonsModel();
        const auto data = Moons(60).dataset().batch(12);
        const auto first = ofFile->fit(data, options(2));
        const auto second = ofCode.fit(data, options(2));
        QVERIFY2(first.has_value() && second.has_value(), refusal(first).c_str());
        QCOMPARE(first->stateHash, second->stateHash);
        std::ofstream(file) << "[data]\ndataset = \"digits\"\n";
        const auto none = Model::fromJobFile(file);
        QVERIFY2(refusal(none).find("model.layers") != std::string::npos, refusal(none).c_str());
        std::ofstream(file) << "[launch]\ncommand = [\"python3\", \"train.py\"]\n";
        QVERIFY(refusal(Model::fromJobFile(file)).ends_with("has no [model]"));
    }

    void aTrainingBeginsWithWeightsThatAreGiven() {
        const Moons moons(60);
        auto trained = moonsModel();
        const auto before = trained.fit(moons.dataset().batch(12), options(15));
        QVERIFY2(before.has_value(), refusal(before).c_str());
        std::string latest;
        std::getline(std::ifstream(before->runFolder / "checkpoints" / "LATEST") >> std::ws,
                     latest);
        auto fresh = moonsModel();
        QVERIFY(fresh.loadWeights(before->runFolder / "checkpoints" / latest / "model.safetensors")
                    .has_value());
        const auto after = fresh.fit(moons.dataset().batch(12), options(1));
        QVERIFY2(after.has_value(), refusal(after).c_str());
        QVERIFY(after->values.at("loss").front() < 0.7 * before->values.at("loss").front());
    }

    void settingsAreWhatKerasCallbacksDo() {
        auto asked = options(40);
        asked.validation = Moons(40, 9).dataset();
        asked.settings = {{"early_stopping.monitor", "validation_loss"},
                          {"early_stopping.patience", 1},
                          {"early_stopping.min_delta", 10.0},
                          {"checkpoint.keep", 1}};
        auto model = moonsModel();
        const auto history = model.fit(Moons(60).dataset().batch(12), asked);
        QVERIFY2(history.has_value(), refusal(history).c_str());
        QCOMPARE(history->stoppedEarlyAtEpoch, 2);
        QVERIFY2(history->stoppedBecause.starts_with("validation_loss has not got better for 1 "
                                                     "epoch"),
                 history->stoppedBecause.c_str());
    }
};

QTEST_GUILESS_MAIN(FitKindsTest)
#include "tst_fit_kinds.moc"
