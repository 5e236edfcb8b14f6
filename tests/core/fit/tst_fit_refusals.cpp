// SPDX-License-Identifier: Apache-2.0
// What cannot be trained on, scored or asked is refused before anything is trained.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <functional>

#include "core/base/file.h"
#include "tests/core/fit/two_moons.h"

using namespace lockstep;
using namespace lockstep::tests;
using fit::Dataset;
using fit::Element;
using fit::FitOptions;
using fit::Model;
using fit::Tensor;

class FitRefusalsTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    [[nodiscard]] std::filesystem::path run() const {
        return folder_.filePath("refused").toStdString();
    }

private slots:
    void aDatasetThatCannotBeTrainedOnIsRefused() {
        const Dataset moons = Moons(20).dataset();
        const auto same = [](const Element& element) { return Result<Element>(element); };
        const std::vector<std::pair<Dataset, std::string>> wrong = {
            {moons,
             "The batch size of the input dataset is unknown. Please config the batch size "
             "for the input dataset, e.g via `dataset.batch(batch_size)`"},
            {moons.batch(2).batch(2), "fit(): batch() is called twice"},
            {moons.batch(2).map(same),
             "fit(): map() stands behind batch(), and batches are made anew each epoch"},
            {moons.batch(2).shuffle(5),
             "fit(): shuffle() stands behind batch(): it would leave the same samples together"},
            {moons.shuffle(5).shuffle(6).batch(2), "fit(): shuffle() is called twice"},
            {moons.shuffle(5).shard(2, 0).batch(2),
             "fit(): shard() stands behind shuffle() or batch(): which samples it takes would "
             "differ from epoch to epoch"},
            {Dataset::fromTensors(Moons(20).x).batch(2), "fit(): the dataset has no targets"},
            {moons.batch(2).withAutoShard(config::AutoShard::File),
             "FILE sharding policy was asked for: Found an unshardable source dataset: "
             "TensorSliceDataset, which has no files to deal out"},
            {moons.batch(0), "batch(): 0 was given, which is too few"},
            {moons.batch(50, true),
             "20 samples are no whole batch of 50, and data.drop_remainder leaves out what is "
             "less: there is nothing to train on"},
        };
        for (const auto& [dataset, sentence] : wrong) {
            auto model = moonsModel();
            const auto history = model.fit(dataset, {.validation = {}, .runFolder = run()});
            QVERIFY2(refusal(history).ends_with(sentence), refusal(history).c_str());
            QVERIFY2(!std::filesystem::exists(run()), "something was left behind");
        }
    }

    void settingsAreThoseOfATraining() {
        auto model = moonsModel();
        const auto fitted = [&](const fit::Option& option) {
            return refusal(model.fit(Moons(20).dataset().batch(5),
                                     {.validation = {}, .runFolder = run(), .settings = {option}}));
        };
        QCOMPARE(fitted({"training.epochs", 3}),
                 std::string("fit(): training.epochs is no setting of a training"));
        QCOMPARE(fitted({"data.inputs", "x.npy"}),
                 std::string("fit(): data.inputs is no setting of a training"));
        QCOMPARE(fitted({"checkpoint.resume", "auto"}),
                 std::string("fit(): checkpoint.resume is no setting of a training"));
        QVERIFY2(
            fitted({"checkpoint.kep", 3}).find("did you mean checkpoint.keep") != std::string::npos,
            fitted({"checkpoint.kep", 3}).c_str());
        QVERIFY2(fitted({"checkpoint.keep", 0}).find("must be a whole number") != std::string::npos,
                 fitted({"checkpoint.keep", 0}).c_str());
        QVERIFY(!std::filesystem::exists(run()));
    }

    void aModelThatIsNoneIsRefused() {
        QVERIFY(refusal(Model::sequential({{"dens", {{"units", 3}}}})).find("dens") !=
                std::string::npos);
        QVERIFY(refusal(Model::sequential({{"dense", {{"unit", 3}}}})).find("unit") !=
                std::string::npos);
        QCOMPARE(refusal(Model::sequential({{"dense", {{"units = 3 } #", 3}}}})),
                 std::string("\"units = 3 } #\" is no name of an option"));
        QVERIFY(!Model::sequential({}).has_value());
        QVERIFY(!Model::fromJobFile(folder_.filePath("none.toml").toStdString()).has_value());
        QVERIFY(!Model::fromRun(folder_.filePath("none").toStdString()).has_value());

        auto model = moonsModel();
        QVERIFY2(refusal(model.compile({"adma"})).find("did you mean adam") != std::string::npos ||
                     refusal(model.compile({"adma"})).find("adam") != std::string::npos,
                 refusal(model.compile({"adma"})).c_str());
        QVERIFY(!model.compile({"sgd", {{"learning_rate", -1.0}}}).has_value());
        QVERIFY(!model.compile({"sgd"}, {"hubber"}).has_value());
        QVERIFY(!model.compile({"sgd"}, {"auto"}, {"top_x"}).has_value());
        QCOMPARE(refusal(model.compile({"sgd", {{"epochs", 3}}})),
                 std::string("compile(): epochs is no option of an optimizer or a loss"));
    }

    void nothingIsAskedOfAModelWithoutWeights() {
        auto model = moonsModel();
        QCOMPARE(refusal(model.predict(Moons(3).x)), std::string("the model has no weights yet"));
        QCOMPARE(refusal(model.evaluate(Moons(3).dataset())),
                 std::string("the model has no weights yet"));
        auto raw = Model::sequential({{"dense", {{"units", 2}}}}).value();
        QCOMPARE(refusal(raw.fit(Moons(8).dataset().batch(4))),
                 std::string("fit(): the model is not compiled"));
        QCOMPARE(refusal(model.fit(Moons(8).dataset().batch(4),
                                   {.validation = {}, .epochs = 0, .runFolder = run()})),
                 std::string("fit(): 0 epochs were asked for"));
    }

    void filesThatOthersHavePutIntoTheRunFolderAreLeftAlone() {
        const std::filesystem::path folder = folder_.filePath("others").toStdString();
        std::filesystem::create_directories(folder / "data");
        std::ofstream(folder / "data" / "train_x.npy") << "somebody's own";
        auto model = moonsModel();
        QCOMPARE(refusal(model.fit(Moons(8).dataset().batch(4),
                                   {.validation = {}, .runFolder = folder})),
                 "fit(): " + (folder / "data").string() + " holds files that are not of this run");
        QCOMPARE(readFile(folder / "data" / "train_x.npy", 100).value(),
                 std::string("somebody's own"));
    }

    void aStartThatFailsTakesOnlyItsOwnFilesWithIt() {
        const std::filesystem::path folder = folder_.filePath("failed").toStdString();
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "notes.txt") << "somebody's own";
        auto model = moonsModel();
        const auto history =
            model.fit(Moons(20).dataset().batch(50, true), {.validation = {}, .runFolder = folder});
        QVERIFY(!history.has_value());  // no whole batch: found once the arrays are written
        QVERIFY(std::filesystem::exists(folder / "notes.txt"));
        QVERIFY(!std::filesystem::exists(folder / "data"));
    }

    void samplesOfAnotherKindAreNeitherScoredNorAsked() {
        auto model = moonsModel();
        const auto history = model.fit(
            Moons(40).dataset().batch(8),
            {.validation = {},
             .runFolder = std::filesystem::path(folder_.filePath("kinds").toStdString())});
        QVERIFY2(history.has_value(), refusal(history).c_str());
        QVERIFY(!history->values.contains("val_loss"));
        const Tensor wide = Tensor::make(std::vector<float>(12), {4, 3}).value();
        QCOMPARE(refusal(model.predict(wide)),
                 std::string("the network was trained on samples of 2, and these are of 3"));
        const Tensor two = Tensor::make(std::vector<float>(4), {2, 2}).value();
        QCOMPARE(refusal(model.evaluate(Dataset::fromTensors(two))),
                 std::string("evaluate(): the dataset has no targets"));
        const auto scored = [&](const Tensor& y) {
            return refusal(model.evaluate(Dataset::fromTensors(two, y)));
        };
        QCOMPARE(scored(Tensor::ofValues(std::vector<std::int64_t>{0, 2})),
                 std::string("the class of sample 1 is 2, and the network was trained on 2 "
                             "classes, from 0"));
        QCOMPARE(scored(Tensor::ofValues(std::vector<float>{0, 0.5F})),
                 std::string("the loss is \"sparse_categorical_crossentropy\", which takes "
                             "classes, and target 1 is 0.5"));
        QCOMPARE(scored(Tensor::ofValues(std::vector<float>{0, 1})), std::string("it went well"));
        QVERIFY(refusal(model.loadWeights("weights.safetensors"))
                    .starts_with("loadWeights(): the model has the weights of its run already"));
    }
};

QTEST_GUILESS_MAIN(FitRefusalsTest)
#include "tst_fit_refusals.moc"
