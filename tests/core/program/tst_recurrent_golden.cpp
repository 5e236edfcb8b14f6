// SPDX-License-Identifier: Apache-2.0
//
// lstm, gru and conv2d_transpose as job files say them against PyTorch and Keras:
// tests/golden/recurrent_layers.py.
#include <QtTest>

#include "tests/core/model/model_text.h"
#include "tests/support/program_runner.h"

using namespace lockstep;
using namespace lockstep::testing;

namespace {

constexpr double kBound = 1e-5;
constexpr int kSteps = 3;
constexpr float kRate = 0.1F;

const GoldenFile& golden() {
    static const GoldenFile file(LOCKSTEP_SOURCE_DIR "/tests/golden/recurrent_layers.txt");
    return file;
}

std::vector<float> floats(const std::string& name) {
    const auto& values = golden().at(name).values;
    return {values.begin(), values.end()};
}

/// The largest difference, relative to the largest number that is expected or to 1.
double error(std::span<const float> found, const std::string& name) {
    const auto& expected = golden().at(name).values;
    if (found.size() != expected.size()) return 1e9;
    double size = 1;
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        size = std::max(size, std::abs(expected[i]));
        const double one = std::abs(static_cast<double>(found[i]) - expected[i]);
        if (!(one <= largest)) largest = one;
    }
    return largest / size;
}

model::Graph graphOfCase(const std::string& name, const std::string& layers) {
    const auto& shape = golden().at(name + ".x").shape;
    return model::test::graphOf(layers, {.input = {shape.begin() + 1, shape.end()}, .columns = {}});
}

/// A network with a case's weights: all tensors of the graph, and none besides.
struct Case : ProgramRunner {
    Case(std::string name, const std::string& layers)
        : ProgramRunner(graphOfCase(name, layers), rowsOf(name)), name_(std::move(name)) {}

    static std::int64_t rowsOf(const std::string& name) {
        return static_cast<std::int64_t>(golden().at(name + ".x").shape[0]);
    }
    bool take(const std::string& prefix) {
        bool isWhole = true;
        for (std::size_t i = 0; i < graph().tensors.size(); ++i) {
            const model::Tensor& tensor = graph().tensors[i];
            const auto& values = golden().at(prefix + tensor.name);
            isWhole = isWhole && std::ranges::equal(values.shape, tensor.shape,
                                                    std::cmp_equal<std::size_t, std::int64_t>);
            std::ranges::copy(floats(prefix + tensor.name), view(i, parameters).begin());
        }
        return isWhole;
    }
    double run() {
        samples_ = floats(name_ + ".x");
        const auto y = forward({.samples = samples_, .rows = rowsOf(name_)});
        const double wrong = error(y, name_ + ".y");
        backward(floats(name_ + ".dy"));
        return wrong;
    }
    /// The largest error of the tensors of a flat buffer.
    double errorOf(std::vector<float>& flat, const std::string& prefix) {
        double largest = 0;
        for (std::size_t i = 0; i < graph().tensors.size(); ++i) {
            const std::string name = prefix + graph().tensors[i].name;
            largest = std::max(largest, error(view(i, flat), name));
        }
        return largest;
    }
    void descend() {
        for (std::size_t i = 0; i < graph().tensors.size(); ++i) {
            if (!graph().tensors[i].isTrainable) continue;
            const auto weights = view(i, parameters);
            const auto slopes = view(i, gradients);
            for (std::size_t k = 0; k < weights.size(); ++k)
                weights[k] -= kRate * slopes[k];
        }
    }

private:
    std::string name_;
    std::vector<float> samples_;
};

}  // namespace

class RecurrentGoldenTest : public QObject {
    Q_OBJECT
private slots:
    void aLayerComputesWhatPyTorchsModuleDoesWithItsStateDict_data() {
        QTest::addColumn<QString>("layer");
        for (const char* kind : {"lstm", "gru"}) {
            const QString type = QStringLiteral("{ type = \"%1\", units = 5").arg(kind);
            const auto row = [&](const char* name, const QString& options) {
                QTest::newRow(qPrintable(QStringLiteral("torch_%1_%2").arg(kind).arg(name)))
                    << type + options + QStringLiteral(" }");
            };
            row("sequences", ", return_sequences = true");
            row("last", "");
            row("backwards", ", return_sequences = true, go_backwards = true");
            row("without_bias", ", return_sequences = true, use_bias = false");
        }
        QTest::newRow("torch_transposed")
            << "{ type = \"conv2d_transpose\", filters = 4, kernel_size = 3, strides = 2, "
               "padding = 1, output_padding = 1 }";
        QTest::newRow("torch_transposed_wide")
            << "{ type = \"conv2d_transpose\", filters = 3, kernel_size = [2, 3], strides = [3, "
               "1], padding = [1, 2], output_padding = [2, 0], dilation_rate = [2, 1] }";
    }
    void aLayerComputesWhatPyTorchsModuleDoesWithItsStateDict() {
        QFETCH(const QString, layer);
        const std::string name = QTest::currentDataTag();
        Case one(name, layer.toStdString());
        // An LSTM's second bias has no gradient here: PyTorch's is that of the first.
        std::ranges::fill(one.gradients, -7.0F);
        QVERIFY(one.take(name + "."));
        const double wrong = one.run();
        QVERIFY2(wrong < kBound, qPrintable(QString::number(wrong)));
        for (std::size_t i = 0; i < one.graph().tensors.size(); ++i) {
            const model::Tensor& tensor = one.graph().tensors[i];
            const auto found = one.view(i, one.gradients);
            if (tensor.isTrainable)
                QVERIFY2(error(found, name + ".gradient." + tensor.name) < kBound,
                         tensor.name.c_str());
            else
                QVERIFY(tensor.name == "layers.0.bias_hh_l0" && found[0] == -7.0F);
        }
    }
    void stackedLayersTrainAsKerasDoes() {
        Case one("keras_recurrent",
                 "{ type = \"lstm\", name = \"first\", units = 5, return_sequences = true }, "
                 "{ type = \"gru\", name = \"second\", units = 4, return_sequences = true, "
                 "go_backwards = true }, { type = \"lstm\", name = \"third\", units = 3 }, "
                 "{ type = \"dense\", name = \"last\", units = 2 }");
        QVERIFY(one.take("keras_recurrent.initial."));
        QVERIFY(one.run() < kBound);
        one.descend();
        for (int step = 1; step < kSteps; ++step) {
            one.run();
            one.descend();
        }
        const double wrong = one.errorOf(one.parameters, "keras_recurrent.trained.");
        QVERIFY2(wrong < kBound, qPrintable(QString::number(wrong)));
    }
    void aTransposedConvolutionIsPlacedAndTrainedAsKerasDoes_data() {
        QTest::addColumn<QString>("options");
        QTest::newRow("valid") << "kernel_size = 3";
        QTest::newRow("valid_far") << "kernel_size = 3, strides = [4, 2]";
        QTest::newRow("same") << "kernel_size = 3, padding = \"same\", strides = 2";
        QTest::newRow("same_even") << "kernel_size = [4, 2], padding = \"same\", strides = [2, 3]";
        QTest::newRow("same_more") << "kernel_size = 3, padding = \"same\", strides = [2, 3], "
                                      "output_padding = [0, 1]";
        QTest::newRow("valid_more") << "kernel_size = 3, strides = 2, output_padding = 1";
    }
    void aTransposedConvolutionIsPlacedAndTrainedAsKerasDoes() {
        QFETCH(const QString, options);
        const std::string name = std::string("keras_transposed_") + QTest::currentDataTag();
        Case one(name, "{ type = \"conv2d_transpose\", name = \"up\", filters = 3, " +
                           options.toStdString() + " }");
        QVERIFY(one.take(name + ".initial."));
        QVERIFY(one.run() < kBound);
        one.descend();
        for (int step = 1; step < kSteps; ++step) {
            one.run();
            one.descend();
        }
        QVERIFY(one.errorOf(one.parameters, name + ".trained.") < kBound);
    }
};

QTEST_GUILESS_MAIN(RecurrentGoldenTest)
#include "tst_recurrent_golden.moc"
