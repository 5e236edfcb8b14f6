// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/model/look_ahead.h"
#include "tests/core/model/model_text.h"

using namespace lockstep::model;
using namespace lockstep::model::test;

namespace {

constexpr const char* kEmbedding = "{ type = \"embedding\", input_dim = 11, output_dim = 4 },\n";
constexpr const char* kEnd = "{ type = \"dense\", units = 11 }";

/// "" where no position of six sees a later one, else the type of the layer that shows it; "wrong"
/// for no network.
QString showing(const std::string& layers) {
    const Graph graph = graphOf(kEmbedding + layers + kEnd,
                                {.input = {6}, .columns = {}, .classes = 0, .vocabulary = 11});
    if (graph.nodes.empty()) return "wrong";
    const auto node = firstLookAhead(graph);
    if (!node) return "";
    return QString::fromStdString(
        graph.layers[static_cast<std::size_t>(graph.nodes[static_cast<std::size_t>(*node)].layer)]
            .type);
}

}  // namespace

class LookAheadTest : public QObject {
    Q_OBJECT
private slots:
    void whatWorksPositionByPositionShowsNothing() {
        QCOMPARE(showing(""), QString());
        QCOMPARE(showing("{ type = \"position_embedding\", sequence_length = 6 },\n"
                         "{ type = \"layer_normalization\" }, { type = \"dropout\", rate = 0.1 },\n"
                         "{ units = 5, activation = \"softmax\" },\n"),
                 QString());
    }
    void attentionShowsLaterPositionsUnlessItIsCausal() {
        QCOMPARE(showing("{ type = \"multi_head_attention\", num_heads = 2, causal = true },\n"),
                 QString());
        QCOMPARE(showing("{ type = \"multi_head_attention\", num_heads = 2 },\n"),
                 QString("multi_head_attention"));
    }
    void aRecurrentLayerShowsThemWhereItGoesBackwards() {
        const auto lstm = [](const std::string& options) {
            return showing("{ type = \"lstm\", units = 4, return_sequences = true" + options +
                           " },\n");
        };
        QCOMPARE(lstm(""), QString());
        QCOMPARE(lstm(", go_backwards = true"), QString("lstm"));
    }
    void aTransposedConvolutionShowsWhereToItsWindowsReach() {
        const auto transposed = [](const std::string& options) {
            return showing(
                "{ type = \"reshape\", target_shape = [1, 6, 4] },\n"
                "{ type = \"conv2d_transpose\", filters = 4, " +
                options + " },\n{ type = \"reshape\", target_shape = [6, 4] },\n");
        };
        QCOMPARE(transposed("kernel_size = [1, 1]"), QString());
        QCOMPARE(transposed("kernel_size = [1, 3], padding = \"same\""),
                 QString("conv2d_transpose"));
    }
    void aWindowShowsWhatItReaches() {
        const auto conv = [](const std::string& options) {
            return showing("{ type = \"conv1d\", filters = 4, " + options + " },\n");
        };
        QCOMPARE(conv("kernel_size = 1"), QString());
        QCOMPARE(conv("kernel_size = 3, padding = \"same\""), QString("conv1d"));
        // The odd place of an even window lies behind.
        QCOMPARE(conv("kernel_size = 2, padding = \"same\""), QString("conv1d"));
        QCOMPARE(showing("{ type = \"max_pooling1d\", pool_size = 3, strides = 1, padding = "
                         "\"same\" },\n"),
                 QString("max_pooling1d"));
    }
    void aFrameThatMovesThemBackMakesAWindowCausal() {
        const auto framed = [](const std::string& frame) {
            return showing(
                "{ type = \"reshape\", target_shape = [1, 6, 4] },\n"
                "{ type = \"zero_padding2d\", padding = " +
                frame +
                " },\n{ type = \"conv2d\", filters = 4, kernel_size = [1, 3] },\n"
                "{ type = \"reshape\", target_shape = [6, 4] },\n");
        };
        QCOMPARE(framed("[[0, 0], [2, 0]]"), QString());
        QCOMPARE(framed("[[0, 0], [1, 1]]"), QString("conv2d"));
    }
    void whatMixesAllPlacesShowsThem() {
        QCOMPARE(showing("{ type = \"group_normalization\", groups = 2 },\n"),
                 QString("group_normalization"));
        QCOMPARE(showing("{ type = \"batch_normalization\" },\n"), QString());
        QCOMPARE(showing("{ type = \"flatten\" }, { units = 24 },\n"
                         "{ type = \"reshape\", target_shape = [6, 4] },\n"),
                 QString("reshape"));
        // The same numbers in the same order, there and back.
        QCOMPARE(showing("{ type = \"reshape\", target_shape = [24] },\n"
                         "{ type = \"reshape\", target_shape = [6, 4] },\n"),
                 QString());
        QCOMPARE(showing("{ type = \"reshape\", target_shape = [2, 12] },\n"
                         "{ type = \"dense\", units = 12 },\n"
                         "{ type = \"reshape\", target_shape = [6, 4] },\n"),
                 QString("reshape"));
    }
};

QTEST_APPLESS_MAIN(LookAheadTest)
#include "tst_look_ahead.moc"
