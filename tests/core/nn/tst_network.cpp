// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/nn/network.h"

using namespace lockstep;
using namespace lockstep::nn;

namespace {

config::ModelSpec guide(int lastUnits = 10) {
    return {.layers = {{.units = 256, .activation = config::Activation::Relu},
                       {.units = 256, .activation = config::Activation::Relu},
                       {.units = lastUnits}}};
}

std::string refusal(const config::ModelSpec& model, std::size_t features = 784) {
    const auto network = Network::make(model, features, 10);
    if (network) return "accepted";
    if (network.error().code != ErrorCode::BadInput) return "not called bad input";
    return network.error().message + " | " + network.error().remedy;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

class NetworkTest : public QObject {
    Q_OBJECT
private slots:
    void theGuidesNetworkHasTheSizeKerasSays() {
        const auto network = Network::make(guide(), 784, 10).value();
        QCOMPARE(network.trainableCount(), std::size_t{269322});
        QCOMPARE(network.inputFeatures(), std::size_t{784});
        QCOMPARE(network.classes(), std::size_t{10});
        QCOMPARE(network.layerCount(), std::size_t{3});
    }
    void tensorsAreNamedAndShapedAsInPyTorch() {
        const auto network = Network::make(guide(), 784, 10).value();
        std::vector<std::string> names;
        std::vector<std::vector<std::size_t>> shapes;
        for (const TensorInfo& tensor : network.tensors()) {
            names.push_back(tensor.name);
            shapes.push_back(tensor.shape);
        }
        QCOMPARE(names,
                 (std::vector<std::string>{"layers.0.weight", "layers.0.bias", "layers.1.weight",
                                           "layers.1.bias", "layers.2.weight", "layers.2.bias"}));
        QVERIFY((shapes == std::vector<std::vector<std::size_t>>{
                               {256, 784}, {256}, {256, 256}, {256}, {10, 256}, {10}}));
    }
    void aModelBeyondDenseLayersIsRefused() {
        config::ModelSpec described;
        described.isDescribed = true;
        const std::string text = refusal(described);
        QVERIFY2(contains(text, "more than dense layers"), text.c_str());
    }
    void tensorsBeginOnCacheLinesWithoutOverlap() {
        const config::ModelSpec odd{.layers = {{.units = 17}, {.units = 1}, {.units = 10}}};
        const auto network = Network::make(odd, 13, 10).value();
        std::size_t end = 0;
        for (const TensorInfo& tensor : network.tensors()) {
            QCOMPARE(tensor.offset % kTensorAlignment, std::size_t{0});
            QVERIFY(tensor.offset >= end && tensor.offset < end + kTensorAlignment);
            end = tensor.offset + tensor.size();
        }
        QCOMPARE(network.parameterCount(), alignTensor(end));
        QCOMPARE(network.layerBegins().size(), std::size_t{3});
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(network.layerBegins()[i], network.tensors()[2 * i].offset);
    }

    void aLastLayerThatDoesNotMatchTheClassesIsRefused() {
        const std::string text = refusal(guide(12));
        QVERIFY2(contains(text, "model.layers[2].units is 12") && contains(text, "10 classes"),
                 text.c_str());
    }
    void anUnknownTypeOfLayerIsRefusedWithTheNearest() {
        auto model = guide();
        model.layers[1].type = "dens";
        const std::string text = refusal(model);
        QVERIFY2(
            contains(text, "model.layers[1].type") && contains(text, "Did you mean \"dense\"?"),
            text.c_str());
    }
    void impossibleModelsAreRefused() {
        QVERIFY(contains(refusal({}), "model.layers is empty"));
        for (const int units : {0, -5}) {
            auto model = guide();
            model.layers[0].units = units;
            QVERIFY(contains(refusal(model), "model.layers[0].units"));
        }
        auto model = guide();
        model.layers[2].activation = config::Activation::Relu;
        QVERIFY(contains(refusal(model), "model.layers[2].activation"));
        QVERIFY(contains(refusal(guide(), 0), "no features"));
    }

    void kernelsAreGlorotUniformAndBiasesZero() {
        const auto network = Network::make(guide(), 784, 10).value();
        std::vector<float> parameters(network.parameterCount());
        network.initialise(parameters, 1);
        for (const TensorInfo& tensor : network.tensors()) {
            const auto values = std::span(parameters).subspan(tensor.offset, tensor.size());
            if (tensor.shape.size() == 1) {
                QVERIFY(std::ranges::all_of(values, [](float value) { return value == 0; }));
                continue;
            }
            const double limit =
                std::sqrt(6.0 / static_cast<double>(tensor.shape[0] + tensor.shape[1]));
            double sum = 0;
            double squares = 0;
            for (const float value : values) {
                QVERIFY(std::abs(static_cast<double>(value)) <= limit * (1 + 1e-6));
                sum += static_cast<double>(value);
                squares += static_cast<double>(value) * static_cast<double>(value);
            }
            // A uniform distribution's variance is limit² / 3; five deviations of the estimates.
            const auto count = static_cast<double>(values.size());
            QVERIFY(std::abs(sum / count) < 5 * limit / std::sqrt(3 * count));
            QVERIFY(std::abs(squares / count / (limit * limit / 3) - 1) <
                    5 * std::sqrt(0.8 / count));
        }
    }
    void initialValuesDependOnTheSeedAndTheLayerOnly() {
        const auto network = Network::make(guide(), 784, 10).value();
        std::vector<float> first(network.parameterCount());
        auto second = first;
        auto other = first;
        network.initialise(first, 1);
        network.initialise(second, 1);
        network.initialise(other, 2);
        QVERIFY(first == second);
        QVERIFY(first != other);
        const auto wider = Network::make(guide(), 900, 10).value();
        std::vector<float> wide(wider.parameterCount());
        wider.initialise(wide, 1);
        const std::size_t layer1 = network.layerBegins()[1];
        QVERIFY(std::equal(first.begin() + static_cast<long>(layer1), first.end(),
                           wide.begin() + static_cast<long>(wider.layerBegins()[1])));
    }
    void layersOfTheSameShapeBeginWithDifferentValues() {
        const config::ModelSpec twins{.layers = {{.units = 10}, {.units = 10}}};
        const auto network = Network::make(twins, 10, 10).value();
        std::vector<float> parameters(network.parameterCount());
        network.initialise(parameters, 1);
        const auto begin = parameters.begin() + static_cast<long>(network.layerBegins()[1]);
        QVERIFY(!std::equal(parameters.begin(), parameters.begin() + 100, begin));
    }
    void initialisationLeavesTheGapsAlone() {
        const config::ModelSpec odd{.layers = {{.units = 3}, {.units = 10}}};
        const auto network = Network::make(odd, 5, 10).value();
        std::vector<float> parameters(network.parameterCount(), -7.0F);
        network.initialise(parameters, 1);
        QCOMPARE(static_cast<std::size_t>(std::ranges::count(parameters, -7.0F)),
                 network.parameterCount() - network.trainableCount());
    }
};

QTEST_GUILESS_MAIN(NetworkTest)
#include "tst_network.moc"
