// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/base/file.h"
#include "core/train/handover/input_file.h"
#include "core/train/handover/predictor.h"
#include "core/train/replica/text_generator.h"
#include "tests/core/model/model_text.h"

using namespace lockstep;
using namespace lockstep::train;

namespace {

/// A network whose tensors have the numbers that `numberOf(tensor, index)` gives.
template <typename NumberOf>
SavedNetwork savedNetwork(const std::string& layers, data::SampleFacts samples,
                          const NumberOf& numberOf) {
    program::Network network(model::test::graphOf(layers, samples.facts));
    std::vector<float> parameters(network.parameterCount());
    for (const program::PlacedTensor& tensor : network.tensors()) {
        const std::span<float> values = tensor.in(std::span(parameters));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = numberOf(tensor.name, i);
    }
    return {{}, {}, {}, std::move(samples), std::move(network), std::move(parameters), {}};
}

/// Of two pixels: the first class as much as the first is bright, the third as the second is.
SavedNetwork classesOfTwoPixels() {
    data::SampleFacts samples{.facts = {.input = {1, 2, 1}, .classes = 3},
                              .classNames = {"left", "none", "right"}};
    return savedNetwork(
        R"({ type = "dense", units = "classes", use_bias = false })", samples,
        [](const std::string&, std::size_t i) { return i == 0 || i == 5 ? 2.0F : 0.0F; });
}

/// Token i is followed by token i + 1 of five, as surely as `logit` says.
SavedNetwork countingNetwork(float logit) {
    const std::string layers = R"(
        { type = "embedding", name = "e", input_dim = "vocabulary", output_dim = 5 },
        { type = "dense", name = "d", units = "vocabulary", use_bias = false })";
    data::SampleFacts samples{.inputKind = data::InputKind::Tokens,
                              .targetKind = data::TargetKind::NextToken,
                              .facts = {.input = {4}, .vocabulary = 5}};
    return savedNetwork(layers, samples, [logit](const std::string& name, std::size_t i) {
        const std::size_t row = i / 5;
        const std::size_t column = i % 5;
        if (name == "e.weight") return row == column ? 1.0F : 0.0F;
        return row == (column + 1) % 5 ? logit : 0.0F;
    });
}

std::vector<std::uint16_t> continuation(SavedNetwork& saved,
                                        const std::vector<std::uint16_t>& prompt,
                                        const GenerationOptions& options) {
    const auto device = tensor::openCpuDevice();
    auto generator = TextGenerator::make(*device, saved.network);
    if (!generator) return {};
    return generator->continued({saved.parameters, saved.statistics}, prompt, options)
        .value_or(std::vector<std::uint16_t>());
}

std::string errorOf(const Result<FileSamples>& samples) {
    return samples ? "read" : samples.error().message;
}

}  // namespace

class PredictorTest : public QObject {
    Q_OBJECT
private slots:
    void everySampleGetsItsLikeliestClassesInOrder() {
        constexpr std::uint32_t kCount = 150;  // more than a batch
        std::vector<std::uint8_t> pixels;
        for (std::uint32_t i = 0; i < kCount; ++i)
            pixels.insert(pixels.end(), {static_cast<std::uint8_t>(i), 51});
        const std::vector<std::uint16_t> labels(kCount);
        const data::Split split =
            data::imageSplit(kCount, {1, 2, 1}, std::move(pixels), data::labelBytes(labels));
        auto predictor = Predictor::make(classesOfTwoPixels(), 2);
        QVERIFY(predictor);
        std::uint32_t next = 0;
        QVERIFY(
            (*predictor)->predict(split, [&](std::uint32_t index, const Prediction& prediction) {
                QCOMPARE(index, next++);
                QCOMPARE(prediction.classes.size(), std::size_t{2});
                const double left = std::exp(2.0 * index / 255);
                const double right = std::exp(2.0 * 51 / 255);
                const bool isLeft = index > 51;
                const RankedClass& first = prediction.classes[0];
                if (index != 51) QCOMPARE(first.name, std::string(isLeft ? "left" : "right"));
                QVERIFY(std::abs(first.probability - std::max(left, right) / (left + right + 1)) <
                        1e-6);
                QVERIFY(first.probability >= prediction.classes[1].probability);
            }));
        QCOMPARE(next, kCount);
    }

    void aSingleNumberIsTheOddsOfTheSecondClass() {
        data::SampleFacts samples{.facts = {.input = {1, 1, 1}, .classes = 2},
                                  .classNames = {"no", "yes"}};
        auto predictor = Predictor::make(
            savedNetwork(R"({ type = "dense", units = 1, use_bias = false })", samples,
                         [](const std::string&, std::size_t) { return 2.0F; }),
            2);
        QVERIFY(predictor);
        const auto split = data::imageSplit(1, {1, 1, 1}, std::vector<std::uint8_t>{255},
                                            data::labelBytes(std::vector<std::uint16_t>(1)));
        QVERIFY((*predictor)->predict(split, [](std::uint32_t, const Prediction& prediction) {
            QCOMPARE(prediction.classes[0].name, std::string("yes"));
            for (const RankedClass& one : prediction.classes)
                QVERIFY(std::abs(std::log(one.probability / (1 - one.probability)) - one.logit) <
                        1e-6);
        }));
    }

    void numbersAreToldInTheUnitsOfTheirTable() {
        data::SampleFacts samples{.inputKind = data::InputKind::Floats,
                                  .targetKind = data::TargetKind::Values,
                                  .facts = {.input = {1}, .values = 1},
                                  .targetNames = {"price"},
                                  .targetScale = 0.01};
        auto predictor = Predictor::make(
            savedNetwork(R"({ type = "dense", units = 1, use_bias = false })", samples,
                         [](const std::string&, std::size_t) { return 3.0F; }),
            1);
        QVERIFY(predictor);
        const std::vector<float> row{0.5F};
        const data::Split split{.count = 1,
                                .inputKind = data::InputKind::Floats,
                                .shape = {1},
                                .inputs = data::floatBytes(row),
                                .targets = data::labelBytes(std::vector<std::uint16_t>(1))};
        QVERIFY((*predictor)->predict(split, [](std::uint32_t, const Prediction& prediction) {
            QCOMPARE(prediction.values.at(0).name, std::string("price"));
            QVERIFY(std::abs(prediction.values.at(0).value - 150) < 1e-3);
        }));
    }

    void aTextGoesOnWithTheLikeliestTokens() {
        SavedNetwork saved = countingNetwork(1);
        const GenerationOptions likeliest{.tokens = 6, .temperature = 0};
        QCOMPARE(continuation(saved, {2}, likeliest),
                 (std::vector<std::uint16_t>{3, 4, 0, 1, 2, 3}));
        QCOMPARE(continuation(saved, {}, likeliest),
                 (std::vector<std::uint16_t>{1, 2, 3, 4, 0, 1}));
        // Only the end of a longer prompt is seen.
        QCOMPARE(continuation(saved, {1, 1, 1, 1, 1, 1, 3}, {.tokens = 2, .temperature = 0}),
                 (std::vector<std::uint16_t>{4, 0}));
    }

    void whatIsDrawnDependsOnTheSeedAndHasTheNetworksChances() {
        SavedNetwork saved = countingNetwork(static_cast<float>(std::log(4.0)));
        const GenerationOptions options{.tokens = 2000, .temperature = 1, .seed = 3};
        const auto text = continuation(saved, {0}, options);
        QCOMPARE(continuation(saved, {0}, options), text);
        QVERIFY(continuation(saved, {0}, {.tokens = 2000, .temperature = 1, .seed = 4}) != text);
        int successors = 0;  // 4 of 8 chances
        std::uint16_t before = 0;
        for (const std::uint16_t token : text)
            successors += token == (std::exchange(before, token) + 1) % 5;
        QVERIFY2(successors > 900 && successors < 1100, std::to_string(successors).c_str());
    }

    void aNetworkOfImagesContinuesNoText() {
        const SavedNetwork saved = classesOfTwoPixels();
        const auto device = tensor::openCpuDevice();
        QCOMPARE(TextGenerator::make(*device, saved.network).error().code, ErrorCode::BadInput);
        QCOMPARE(Predictor::make(countingNetwork(1), 1).error().code, ErrorCode::BadInput);
    }

    void filesThatDoNotSuitTheNetworkAreNamed() {
        const QTemporaryDir folder;
        const std::filesystem::path path(folder.path().toStdString());
        const SavedNetwork saved = classesOfTwoPixels();
        QVERIFY(replaceFileDurably(path / "a.png", "no image"));
        QVERIFY(errorOf(readInputFile(path / "a.png", saved.samples))
                    .ends_with("a.png is neither a JPEG nor a PNG image"));
        const std::string idx(
            "\0\0\x08\x03\0\0\0\x01\0\0\0\x02\0\0\0\x02"
            "abcd",
            20);
        QVERIFY(replaceFileDurably(path / "b", idx));
        QVERIFY(errorOf(readInputFile(path / "b", saved.samples))
                    .ends_with("b holds images of 2 x 2 x 1, but the network takes 1 x 2 x 1"));
        QVERIFY(errorOf(readInputFile(path / "none", saved.samples)).find("none") !=
                std::string::npos);
    }

    void rowsOfATableAreLeftOutWithTheirLineAndRemedy() {
        const QTemporaryDir folder;
        const std::filesystem::path path(folder.path().toStdString());
        std::string rows = "x,c\n1,red\n,red\n2\n";
        for (int i = 0; i < 12; ++i)
            rows += "1,mauve\n";
        QVERIFY(replaceFileDurably(path / "t.csv", rows));
        const data::SampleFacts samples{
            .inputKind = data::InputKind::Floats,
            .targetKind = data::TargetKind::Values,
            .facts = {.input = {3}, .values = 1},
            .preparation = R"({"kind": "table", "targets": ["y"], "target_scale": 1,
                "mean_stands_in": false, "features": [{"name": "x", "type": "float"},
                {"name": "c", "type": "string_categorical", "vocabulary": ["red"]}]})"};
        const auto read = readInputFile(path / "t.csv", samples);
        QVERIFY2(read, errorOf(read).c_str());
        QCOMPARE(read->failures.size(), std::size_t{2});
        QCOMPARE(read->failures[0].place, std::uint64_t{3});
        QVERIFY(!read->failures[0].remedy.empty());
        QCOMPARE(read->failures[1].place, std::uint64_t{4});
        QCOMPARE(read->split.count, std::uint32_t{13});
        QCOMPARE(read->remarks.size(), std::size_t{10});
        QCOMPARE(read->moreRemarks, std::uint64_t{2});
        const auto missing = readInputFile(path / "gone.csv", samples);
        QVERIFY(!missing && missing.error().remedy.find("job file") == std::string::npos);
    }

    void whatASampleIsSurvivesACheckpoint() {
        data::SampleFacts facts{
            .inputKind = data::InputKind::Floats,
            .targetKind = data::TargetKind::Values,
            .facts = {.input = {8},
                      .inputScale = {0.5F, 1.0F / 3},
                      .inputOffset = {0, -1.25F},
                      .columns = {{.name = "ocean", .shape = {}, .vocabulary = 9}},
                      .values = 2},
            .targetNames = {"a", "b"},
            .targetScale = 1e-5,
            .preparation = R"({"features":[1,2]})"};
        const std::string text = data::encodeSampleFacts(facts).value();
        const auto read = data::parseSampleFacts(text);
        QVERIFY(read);
        QCOMPARE(data::encodeSampleFacts(*read).value(), text);
        QCOMPARE(read->facts.inputScale, facts.facts.inputScale);
        QCOMPARE(read->facts.columns.at(0).vocabulary, std::int64_t{9});
        QCOMPARE(read->preparation, facts.preparation);
        for (const char* wrong :
             {"", "[]", "{}", R"({"input":"smells","shape":[1],"target":"class"})",
              R"({"input":"pixels","shape":"1","target":"class"})"})
            QCOMPARE(data::parseSampleFacts(wrong).error().code, ErrorCode::Corrupt);
    }
    void whatACheckpointCannotHoldIsRefusedWithAWayOut() {
        data::SampleFacts facts;
        facts.preparation = "[0";
        for (int i = 0; i < 1'900'000; ++i)
            facts.preparation += ",0";
        facts.preparation += "]";
        const auto text = data::encodeSampleFacts(facts);
        QCOMPARE(text.error().code, ErrorCode::BadInput);
        QVERIFY(text.error().message.find("1900000 values") != std::string::npos);
        QVERIFY(text.error().remedy.find("max_tokens") != std::string::npos);
        facts.preparation = "no JSON";
        QVERIFY(!data::encodeSampleFacts(facts));
    }
};

QTEST_GUILESS_MAIN(PredictorTest)
#include "tst_predictor.moc"
