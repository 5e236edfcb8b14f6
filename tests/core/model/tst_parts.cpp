// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/model/parts.h"
#include "tests/core/model/model_text.h"

using namespace lockstep::model;

namespace {

/// "name{…}" of a block with its parts, "name" of a layer; a residual's layers stand before it.
std::string namesOf(const std::vector<Part>& parts) {
    std::string names;
    for (const Part& part : parts) {
        names += names.empty() ? "" : " ";
        if (part.kind == Part::Kind::Residual)
            names += namesOf(part.body) + " " + namesOf(part.shortcut) + " ";
        names += part.name;
        if (part.kind == Part::Kind::Block) names += "{" + namesOf(part.body) + "}";
    }
    return names;
}

/// The layers' names in the graph's order.
void addLayers(const std::vector<Part>& parts, std::vector<std::string>& names) {
    for (const Part& part : parts) {
        addLayers(part.body, names);
        addLayers(part.shortcut, names);
        if (part.layer >= 0) names.push_back(part.name);
    }
}

const char* const kNetwork = R"([model]
layers = [
    { type = "flatten" },
    { block = "stage", repeat = 2 },
    { block = "pair", name = "p" },
    { residual = [{ block = "pair" }], shortcut = [{ type = "dense", units = 4 }] },
    { type = "dense", units = "classes" },
]
[model.blocks.pair]
layers = [{ type = "dense", units = 4 }, { type = "dense", name = "b", units = 4 }]
[model.blocks.stage]
layers = [{ block = "pair", name = "in" }, { block = "pair", repeat = 2 }]
)";

}  // namespace

class PartsTest : public QObject {
    Q_OBJECT
private slots:
    void blocksHaveTheFullNamesThatTheirLayersBeginWith() {
        const auto reading = test::read(kNetwork);
        QVERIFY2(reading.problems.empty(),
                 reading.problems.empty() ? "" : reading.problems[0].message.c_str());
        const auto graph = buildGraph(reading.description, test::images(2, 1));
        QVERIFY2(graph, graph ? "" : sentenceOf(graph.error()).c_str());
        const std::vector<Part> parts = partsOf(reading.description, *graph);
        const std::string stage =
            "layers.1.%{layers.1.%.in{layers.1.%.in.layers.0 layers.1.%.in.b} "
            "layers.1.%.layers.1.0{layers.1.%.layers.1.0.layers.0 layers.1.%.layers.1.0.b} "
            "layers.1.%.layers.1.1{layers.1.%.layers.1.1.layers.0 layers.1.%.layers.1.1.b}}";
        const auto numbered = [&stage](char number) {
            std::string text = stage;
            std::ranges::replace(text, '%', number);
            return text;
        };
        QCOMPARE(namesOf(parts),
                 "layers.0 " + numbered('0') + " " + numbered('1') +
                     " p{p.layers.0 p.b} "
                     "layers.3.residual.0{layers.3.residual.0.layers.0 layers.3.residual.0.b} "
                     "layers.3.shortcut.0 layers.3 layers.4");
        std::vector<std::string> names;
        addLayers(parts, names);
        std::vector<std::string> expected;
        for (const Layer& layer : graph->layers)
            expected.push_back(layer.name);
        QCOMPARE(names, expected);
    }
};

QTEST_GUILESS_MAIN(PartsTest)
#include "tst_parts.moc"
