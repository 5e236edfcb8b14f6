// SPDX-License-Identifier: Apache-2.0
// What Keras calls a network's variables, which way round their axes are, and what a layout by
// axis numbers becomes of it.
#include <QtTest>

#include "core/model/mesh/keras_variables.h"
#include "core/model/mesh/layout_words.h"
#include "tests/core/model/model_text.h"

using namespace lockstep;
using namespace lockstep::model;
using namespace lockstep::model::test;

namespace {

/// "d/kernel 12 x 10 (in, out) = d.weight"
std::string lineOf(const Graph& graph, const KerasVariable& variable) {
    std::string line = variable.path + " " + toString(variable.shape) + " (";
    for (const std::string_view word : variable.words)
        line +=
            std::string(line.ends_with('(') ? "" : ", ") + std::string(word.empty() ? "-" : word);
    line += ") =";
    for (const int tensor : variable.tensors)
        line += " " + graph.tensors[static_cast<std::size_t>(tensor)].name;
    return line;
}

QStringList linesOf(const Graph& graph) {
    QStringList lines;
    for (const KerasVariable& variable : kerasVariables(graph))
        lines << QString::fromStdString(lineOf(graph, variable));
    return lines;
}

Graph dense() {
    return graphOf(R"({ type = "flatten" }, { type = "dense", name = "up", units = 12 },
                      { type = "dense", name = "down", units = 10 })",
                   images(4, 1));
}

Graph sequence() {
    return graphOf(
        R"({ type = "embedding", name = "e", input_dim = "vocabulary", output_dim = 12 },
           { type = "position_embedding", name = "p", sequence_length = 8 },
           { type = "multi_head_attention", name = "a", num_heads = 6 },
           { type = "layer_normalization", name = "n" },
           { type = "rms_normalization", name = "r" },
           { type = "dense", name = "d", units = "vocabulary", weights_of = "e" })",
        {.input = {8}, .columns = {}, .classes = 0, .vocabulary = 10});
}

Graph convolutions() {
    return graphOf(
        R"({ type = "conv2d", name = "c", filters = 8, kernel_size = [3, 2] },
           { type = "batch_normalization", name = "n" },
           { type = "depthwise_conv2d", name = "d", kernel_size = 3, depth_multiplier = 2 },
           { type = "separable_conv2d", name = "s", filters = 6, kernel_size = 3, padding = "same" },
           { type = "conv2d_transpose", name = "t", filters = 4, kernel_size = [2, 3] },
           { type = "group_normalization", name = "g", groups = 2 },
           { type = "reshape", target_shape = [-1, 4] },
           { type = "conv1d", name = "o", filters = 5, kernel_size = 7 },
           { type = "lstm", name = "l", units = 4, return_sequences = true },
           { type = "gru", name = "u", units = 3 },
           { type = "dense", name = "out", units = 10 })",
        images(12, 2));
}

/// "TENSOR = WORD" of all rules, or why there are none; `asked`: of paths, the axis (-1: whole).
QString rulesFor(const Graph& graph, const std::map<std::string, int>& asked,
                 std::int64_t members = 2) {
    const auto variables = kerasVariables(graph);
    std::vector<std::optional<AxisCut>> cuts;
    std::size_t used = 0;
    for (const KerasVariable& variable : variables) {
        const auto found = asked.find(variable.path);
        cuts.push_back(found == asked.end() ? std::nullopt : std::optional(AxisCut{found->second}));
        if (cuts.back()) ++used;
    }
    if (used != asked.size()) return "a path is missing";
    const auto rules = rulesOfAxes(graph, variables, cuts, members);
    if (!rules) return QString::fromStdString(rules.error().message + "; " + rules.error().remedy);
    QStringList lines;
    for (const LayoutRule& rule : *rules)
        lines << QString::fromStdString(rule.tensors + " = " + rule.along);
    return lines.join("; ");
}

}  // namespace

class KerasAxesTest : public QObject {
    Q_OBJECT
private slots:
    void kernelsAreInputsByOutputsWhileTheTensorsAreTheOtherWayRound() {
        const Graph graph = dense();
        QCOMPARE(linesOf(graph), (QStringList{"up/kernel 16 x 12 (in, out) = up.weight",
                                              "up/bias 12 (out) = up.bias",
                                              "down/kernel 12 x 10 (in, out) = down.weight",
                                              "down/bias 10 (out) = down.bias"}));
        QCOMPARE(graph.tensors[0].shape, (Shape{12, 16}));
    }

    void sequencesHaveKerasNamesAndAxes() {
        QCOMPARE(linesOf(sequence()),
                 (QStringList{"e/embeddings 10 x 12 (vocabulary, features) = e.weight",
                              "p/embeddings 8 x 12 (-, features) = p.weight",
                              "a/query/kernel 12 x 6 x 2 (in, heads, -) = a.in_proj_weight",
                              "a/query/bias 6 x 2 (heads, -) = a.in_proj_bias",
                              "a/key/kernel 12 x 6 x 2 (in, heads, -) = a.in_proj_weight",
                              "a/key/bias 6 x 2 (heads, -) = a.in_proj_bias",
                              "a/value/kernel 12 x 6 x 2 (in, heads, -) = a.in_proj_weight",
                              "a/value/bias 6 x 2 (heads, -) = a.in_proj_bias",
                              "a/attention_output/kernel 6 x 2 x 12 (heads, -, out) = "
                              "a.out_proj.weight",
                              "a/attention_output/bias 12 (out) = a.out_proj.bias",
                              "n/gamma 12 (features) = n.weight", "n/beta 12 (features) = n.bias",
                              "r/scale 12 (features) = r.weight", "d/bias 10 (out) = d.bias"}));
    }

    void convolutionsAndRecurrentLayersHaveKerasNamesAndAxes() {
        QCOMPARE(
            linesOf(convolutions()),
            (QStringList{"c/kernel 3 x 2 x 2 x 8 (-, -, in, out) = c.weight",
                         "c/bias 8 (out) = c.bias",
                         "n/gamma 8 (features) = n.weight",
                         "n/beta 8 (features) = n.bias",
                         "n/moving_mean 8 (features) = n.running_mean",
                         "n/moving_variance 8 (features) = n.running_var",
                         "d/kernel 3 x 3 x 8 x 2 (-, -, out, -) = d.weight",
                         "d/bias 16 (out) = d.bias",
                         "s/depthwise_kernel 3 x 3 x 16 x 1 (-, -, out, -) = s.depthwise.weight",
                         "s/pointwise_kernel 1 x 1 x 16 x 6 (-, -, in, out) = s.pointwise.weight",
                         "s/bias 6 (out) = s.pointwise.bias",
                         "t/kernel 2 x 3 x 4 x 6 (-, -, out, in) = t.weight",
                         "t/bias 4 (out) = t.bias",
                         "g/gamma 4 (features) = g.weight",
                         "g/beta 4 (features) = g.bias",
                         "o/kernel 7 x 4 x 5 (-, in, out) = o.weight",
                         "o/bias 5 (out) = o.bias",
                         "l/lstm_cell/kernel 5 x 16 (in, out) = l.weight_ih_l0",
                         "l/lstm_cell/recurrent_kernel 4 x 16 (in, out) = l.weight_hh_l0",
                         "l/lstm_cell/bias 16 (out) = l.bias_ih_l0 l.bias_hh_l0",
                         "u/gru_cell/kernel 4 x 9 (in, out) = u.weight_ih_l0",
                         "u/gru_cell/recurrent_kernel 3 x 9 (in, out) = u.weight_hh_l0",
                         "u/gru_cell/bias 2 x 9 (-, out) = u.bias_ih_l0 u.bias_hh_l0",
                         "out/kernel 3 x 10 (in, out) = out.weight",
                         "out/bias 10 (out) = out.bias"}));
    }

    /// Each axis that has a word, of every variable: the word cuts that tensor, and its size there.
    void everyWordFitsItsTensors() {
        for (const Graph& graph : {dense(), sequence(), convolutions()})
            for (const KerasVariable& variable : kerasVariables(graph))
                for (std::size_t axis = 0; axis < variable.words.size(); ++axis) {
                    const std::string_view word = variable.words[axis];
                    if (word.empty()) continue;
                    for (const int tensor : variable.tensors) {
                        const auto cut = cutOf(graph, tensor, word);
                        QVERIFY2(cut && cut->axis >= 0, variable.path.c_str());
                        QVERIFY2(cut->units % variable.shape[axis] == 0, variable.path.c_str());
                    }
                }
    }

    void axisNumbersBecomeWords() {
        QCOMPARE(rulesFor(dense(), {{"up/kernel", 1}, {"down/kernel", 0}}),
                 QString("up\\.weight = out; down\\.weight = in"));
        QCOMPARE(rulesFor(dense(), {{"up/kernel", 1}, {"up/bias", -1}}),
                 QString("up\\.weight = out; up\\.bias = whole"));
        QCOMPARE(rulesFor(sequence(), {{"e/embeddings", 0},
                                       {"a/query/kernel", 1},
                                       {"a/key/kernel", 1},
                                       {"a/value/kernel", 1},
                                       {"a/attention_output/kernel", 0}}),
                 QString("e\\.weight = vocabulary; a\\.in_proj_weight = heads; "
                         "a\\.out_proj\\.weight = heads"));
        QCOMPARE(rulesFor(convolutions(), {{"c/kernel", 3},
                                           {"n/moving_mean", 0},
                                           {"t/kernel", 3},
                                           {"l/lstm_cell/recurrent_kernel", 0}}),
                 QString("c\\.weight = out; t\\.weight = in; l\\.weight_hh_l0 = in"));
    }

    void whatCannotBeTranslatedIsRefusedByVariableAndAxis() {
        QCOMPARE(rulesFor(dense(), {{"down/kernel", 1}}, 3),
                 QString("down/kernel (12, 10): its axis 1 cannot be divided among 3 devices; Its "
                         "size there must be a multiple of 3."));
        QCOMPARE(rulesFor(convolutions(), {{"c/kernel", 0}}),
                 QString("c/kernel (3, 2, 2, 8): nothing is shared along its axis 0; It can be "
                         "shared along axis 2 (in) or 3 (out)."));
        QCOMPARE(rulesFor(sequence(), {{"a/query/kernel", 2}}),
                 QString("a/query/kernel (12, 6, 2): nothing is shared along its axis 2; It can be "
                         "shared along axis 0 (in) or 1 (heads)."));
        QCOMPARE(rulesFor(sequence(), {{"a/query/kernel", 1}, {"a/value/kernel", 1}}),
                 QString("a/query/kernel and a/key/kernel are one tensor here, a.in_proj_weight, "
                         "and must be laid out alike: the one is asked to be shared along heads, "
                         "the other anyhow, as it has no layout; Let one key match them all, or "
                         "give each the same layout."));
        // The channels come whole: what counts them is whole, too.
        QCOMPARE(rulesFor(convolutions(), {{"n/moving_mean", 0}}),
                 QString("n/moving_mean (8): it is asked to be shared along features, but it is "
                         "whole here, as the channels that its layer gets; Give it no layout, or "
                         "lay out the layer before it alike."));
        QCOMPARE(rulesFor(convolutions(), {{"c/kernel", 3}, {"n/moving_mean", -1}}),
                 QString("n/moving_mean (8): it is asked to be whole, but it is shared here, as "
                         "the channels that its layer gets; Give it no layout, or lay out the "
                         "layer before it alike."));
    }
};

QTEST_GUILESS_MAIN(KerasAxesTest)
#include "tst_keras_axes.moc"
