// SPDX-License-Identifier: Apache-2.0
// What the rules of a layout say of a network's tensors, what of them is refused, and what a
// member of the mesh then holds and sends.
#include <QtTest>

#include "core/model/mesh/mesh_layout.h"
#include "core/model/mesh/mesh_price.h"
#include "core/model/mesh/split_graph.h"
#include "tests/core/model/model_text.h"

using namespace lockstep;
using namespace lockstep::model;
using namespace lockstep::model::test;

namespace {

Graph twoDense() {
    return graphOf(R"({ type = "flatten" }, { type = "dense", units = 12, activation = "relu" },
                      { type = "dense", units = 10 })",
                   images(4, 1));
}

Graph withAttention() {
    return graphOf(R"({ type = "embedding", name = "e", input_dim = "vocabulary", output_dim = 12 },
                      { type = "multi_head_attention", name = "a", num_heads = 6 },
                      { type = "layer_normalization", name = "n" },
                      { type = "dense", name = "d", units = "vocabulary" })",
                   {.input = {8}, .columns = {}, .classes = 0, .vocabulary = 10});
}

std::string refusalOf(const Graph& graph, const std::vector<LayoutRule>& rules,
                      std::int64_t members = 2) {
    const auto layout = layOut(graph, rules, members);
    if (layout) return "a layout";
    return layout.error().message + "; " + layout.error().remedy;
}

const TensorShard& shardOf(const Graph& graph, const MeshLayout& layout, const std::string& name) {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i)
        if (graph.tensors[i].name == name) return layout.shards[i];
    qFatal("there is no tensor %s", name.c_str());
}

}  // namespace

class MeshLayoutTest : public QObject {
    Q_OBJECT
private slots:
    void aPatternMustMatchAllOfANameAndAWrittenNameGoesFirst() {
        const Graph graph = twoDense();
        const auto layout = layOut(
            graph,
            {{"layers\\.\\d+\\.weight", "in"}, {"layers.1.weight", "out"}, {"weight", "out"}}, 2);
        QVERIFY(layout);
        QCOMPARE(shardOf(graph, *layout, "layers.1.weight").axis, 0);
        QCOMPARE(shardOf(graph, *layout, "layers.2.weight").axis, 1);
        QCOMPARE(layout->unmatched, std::vector<std::string>{"weight"});
    }

    void aBiasWithoutARuleLiesAsItsWeightsOutputs() {
        const Graph graph = twoDense();
        const auto layout =
            layOut(graph, {{"layers.1.weight", "out"}, {"layers.2.weight", "in"}}, 2);
        QVERIFY(layout);
        QCOMPARE(shardOf(graph, *layout, "layers.1.bias").axis, 0);
        QVERIFY(shardOf(graph, *layout, "layers.2.bias").isWhole());
    }

    void aNameThatIsWrittenOutMeansNoOtherTensor() {
        // As a pattern "a.1.weight" would match "a11.weight", too.
        const Graph graph = graphOf(R"({ type = "flatten" },
                                       { type = "dense", name = "a.1", units = 12 },
                                       { type = "dense", name = "a11", units = 12 })",
                                    images(4, 1));
        const auto layout = layOut(graph, {{"a.1.weight", "out"}}, 2);
        QVERIFY(layout);
        QCOMPARE(shardOf(graph, *layout, "a.1.weight").axis, 0);
        QVERIFY(shardOf(graph, *layout, "a11.weight").isWhole());
        QVERIFY(layOut(graph, {{"a.1.weight", "out"}, {"a11.weight", "in"}}, 2).has_value());
    }

    void aBiasThatIsKeptWholeLetsItsWeightBeGathered() {
        const Graph graph = twoDense();
        const auto layout =
            layOut(graph, {{"layers.1.weight", "out"}, {"layers.1.bias", "whole"}}, 2);
        QCOMPARE(layout->gatheredForBias, std::vector<std::string>{"layers.1.weight"});
        QVERIFY(priceOf(splitGraph(graph, *layout, 0)).sentPerStep > 0);
        QVERIFY(layOut(graph, {{"layers.1.weight", "in"}, {"layers.1.bias", "whole"}}, 2)
                    ->gatheredForBias.empty());
    }

    void queriesKeysAndValuesAreCutEachByTheirHeads() {
        const Graph graph = withAttention();
        const auto layout = layOut(graph, {{"a\\..*", "heads"}}, 3);
        QVERIFY(layout);
        const TensorShard& in = shardOf(graph, *layout, "a.in_proj_weight");
        QCOMPARE(in.axis, 0);
        QCOMPARE(in.segments, std::int64_t{3});
        QCOMPARE(shardOf(graph, *layout, "a.out_proj.weight").axis, 1);
        QVERIFY(shardOf(graph, *layout, "a.out_proj.bias").isWhole());
        const Graph part = splitGraph(graph, *layout, 1);
        for (const Node& node : part.nodes)
            if (const auto* attention = std::get_if<Attention>(&node.operation)) {
                QCOMPARE(attention->heads, std::int64_t{2});
                QCOMPARE(attention->firstHead, std::int64_t{2});
            }
    }

    void whatDoesNotDivideIsRefusedWithTheSizesThatWould() {
        QCOMPARE(refusalOf(twoDense(), {{"layers.2.weight", "out"}}, 4),
                 std::string("\"layers.2.weight\" = \"out\": layers.2.weight has 10 outputs, which "
                             "4 processes cannot share; 8 or 12 outputs would divide, or "
                             "mesh.model as one of 1, 2, 5, 10."));
        QCOMPARE(refusalOf(withAttention(), {{"a.in_proj_weight", "heads"}}, 4),
                 std::string("\"a.in_proj_weight\" = \"heads\": a.in_proj_weight has 6 heads, "
                             "which 4 processes cannot share; 4 or 8 heads would divide, or "
                             "mesh.model as one of 1, 2, 3, 6."));
    }

    void everyOtherMistakeIsOneSentence() {
        QCOMPARE(refusalOf(twoDense(), {{"layers.1.weight", "heads"}}),
                 std::string("\"layers.1.weight\" = \"heads\" does not fit layers.1.weight [12, "
                             "16]; It can be cut along: out, in."));
        QCOMPARE(refusalOf(withAttention(), {{"e.weight", "out"}}),
                 std::string("\"e.weight\" = \"out\" does not fit e.weight [10, 12]; It can be cut "
                             "along: vocabulary, features."));
        QCOMPARE(refusalOf(twoDense(), {{".*weight", "out"}, {"layers.1.*", "in"}}),
                 std::string("two rules match layers.1.weight: \".*weight\" = \"out\" and "
                             "\"layers.1.*\" = \"in\"; Write the patterns so that one tensor "
                             "matches one of them, or name the tensor itself in a rule: that goes "
                             "first."));
        QVERIFY(refusalOf(twoDense(), {{"layers.(", "out"}})
                    .starts_with("\"layers.(\" = \"out\" is no regular expression"));
    }

    void aPartHoldsAndSendsWhatItsPriceSays() {
        const Graph graph = twoDense();
        const auto layout =
            layOut(graph, {{"layers.1.weight", "out"}, {"layers.2.weight", "in"}}, 2);
        const MeshPrice price = priceOf(splitGraph(graph, *layout, 0));
        QCOMPARE(price.wholeParameters, std::int64_t{16 * 12 + 12 + 12 * 10 + 10});
        QCOMPARE(price.parameters, std::int64_t{16 * 6 + 6 + 6 * 10 + 10});
        QCOMPARE(price.exchanges, 1);  // the input of the first layer wants no gradient
        QCOMPARE(price.sentPerSample, std::int64_t{10});
        QCOMPARE(price.sentPerStep, std::int64_t{0});
        // Both by rows: the whole table of a normalisation is gathered, forward and backward.
        const Graph other = withAttention();
        const auto gathered = layOut(other, {{"n.weight", "features"}}, 2);
        QCOMPARE(priceOf(splitGraph(other, *gathered, 0)).sentPerStep, std::int64_t{2 * 6});
    }

    void aWholeNetworkIsWhatItsPartsAreWhereNothingIsCut() {
        const Graph graph = withAttention();
        const auto layout = layOut(graph, {}, 2);
        const Graph part = splitGraph(graph, *layout, 1);
        QCOMPARE(part.nodes.size(), graph.nodes.size());
        QCOMPARE(part.tensors.size(), graph.tensors.size());
        QCOMPARE(priceOf(part).exchanges, 0);
    }
};

QTEST_GUILESS_MAIN(MeshLayoutTest)
#include "tst_mesh_layout.moc"
