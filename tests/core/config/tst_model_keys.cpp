// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <fstream>
#include <sstream>

#include "core/config/document/job_file.h"
#include "core/config/job/model_spec.h"
#include "core/config/lint/known_dataset.h"
#include "core/config/lint/lint_report.h"
#include "core/config/lint/model_rules.h"
#include "core/model/build_graph.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

std::string modelOf(const std::string& name) {
    const std::ifstream file(std::string(LOCKSTEP_SOURCE_DIR "/tests/core/model/models/") + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

JobDocument parsed(const std::string& model, const std::string& data = "dataset = \"digits\"") {
    return JobDocument::parse("[data]\n" + data + "\n" + model, "job.toml").value();
}

/// "PLACE: MESSAGE | REMEDY" of each finding.
QStringList findingsOf(const JobDocument& document) {
    QStringList all;
    for (const Finding& finding : document.findings())
        all << QString::fromStdString(finding.place + ": " + finding.message);
    return all;
}

std::string layers(const std::string& list) {
    return "[model]\nlayers = [" + list + "]\n";
}

}  // namespace

class ModelKeysTest : public QObject {
    Q_OBJECT
private slots:
    void theGuidesCnnIsAJobWithoutFindings() {
        const JobDocument document = parsed(modelOf("mnist-cnn.toml"));
        QCOMPARE(findingsOf(document), QStringList());
        QVERIFY(!isDenseStack(document.spec().model));
        QVERIFY(document.spec().model.layers.empty());
        const auto graph = model::buildGraph(descriptionOf(document.spec().model),
                                             knownFacts(document.spec().data).value());
        QVERIFY(graph.has_value());
        QCOMPARE(graph->trainableCount(), std::int64_t{49'210});
    }
    void everyExampleIsWrittenOutAsItWasRead() {
        for (const char* name :
             {"mnist-cnn.toml", "resnet18-cifar10.toml", "tiny-gpt.toml", "houses.toml"}) {
            const JobDocument document =
                parsed(modelOf(name), "dataset = \"idx\"\ndirectory = \"files\"");
            QCOMPARE(findingsOf(document), QStringList());
            const std::string resolved = resolvedToml(document.spec());
            const auto again = JobDocument::parse(resolved, "job.toml");
            QVERIFY2(again.has_value(), resolved.c_str());
            QCOMPARE(findingsOf(*again), QStringList());
            QVERIFY(model::sameDescription(document.spec().model.description,
                                           again->spec().model.description));
            QVERIFY(!again->spec().model.description.layers.empty());
            QCOMPARE(resolvedToml(again->spec()), resolved);
        }
    }
    void initialWeightsAreAFileOrATable() {
        const auto weightsOf = [](const std::string& value, const std::string& list) {
            const JobDocument document = parsed(layers(list) + "initial_weights = " + value + "\n");
            if (!document.findings().empty()) return findingsOf(document).join("; ");
            const std::string resolved = resolvedToml(document.spec());
            const auto again = JobDocument::parse(resolved, "job.toml");
            if (!again || resolvedToml(again->spec()) != resolved) return QString("is not kept");
            const InitialWeightsSpec& weights = again->spec().model.initialWeights;
            QString text = QString::fromStdString(weights.file);
            for (const auto& [theirs, ours] : weights.rename)
                text += QString::fromStdString(" " + theirs + ">" + ours);
            for (const std::string& name : weights.except)
                text += QString::fromStdString(" -" + name);
            return text;
        };
        const std::string stack = R"({ type = "dense", units = 10 })";
        const std::string network = R"({ type = "flatten" }, { type = "dense", units = 10 })";
        for (const std::string& list : {stack, network}) {
            QCOMPARE(weightsOf("\"a.safetensors\"", list), QString("a.safetensors"));
            QCOMPARE(weightsOf("{ file = \"a\", rename = { \"module.\" = \"\", \"x.y\" = \"z\" }, "
                               "except = [\"fc.\"] }",
                               list),
                     QString("a module.> x.y>z -fc."));
            QCOMPARE(weightsOf("{ file = \"a\", rename = { \"\" = \"net.\" } }", list),
                     QString("a >net."));
            QVERIFY(weightsOf("3", list).startsWith("job.toml:"));
            QVERIFY(weightsOf("\"\"", list).contains("must be the path of a safetensors file"));
            QVERIFY(weightsOf("{ except = [] }", list).contains("names no file"));
            QVERIFY(weightsOf("{ file = \"a\", exept = [] }", list)
                        .contains("no option \"exept\", did you mean except?"));
            QVERIFY(weightsOf("{ file = \"a\", except = \"fc.\" }", list)
                        .contains("except is \"fc.\", but must be an array of beginnings"));
            QVERIFY(weightsOf("{ file = \"a\", rename = { a.b = \"c\" } }", list)
                        .contains("rename has a ="));
        }
    }
    void aNetworkThatShowsTheTokenToBePredictedIsAnError() {
        const auto findingsWith = [](const std::string& attention) {
            const JobDocument document =
                parsed(layers("{ type = \"embedding\", input_dim = 9, output_dim = 4 }, "
                              "{ type = \"multi_head_attention\", num_heads = 2" +
                              attention + " }, { type = \"dense\", units = 9 }"),
                       "dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 5");
            Report report(KeyPlaces{});
            checkModel(document.spec(), {.input = {5}, .columns = {}, .vocabulary = 9}, report);
            QStringList all;
            for (const Finding& finding : report.take())
                all << QString::fromStdString(finding.message + " " + finding.remedy);
            return all;
        };
        QCOMPARE(findingsWith(", causal = true"), QStringList());
        QCOMPARE(findingsWith(""),
                 QStringList("model.layers[1] lets a position see later tokens, the one that it is "
                             "to predict among them Add causal = true to it."));
    }
    void aDenseStackStaysOne() {
        const JobDocument document = parsed(
            layers("{ units = 32, activation = \"relu\" }, { type = \"dense\", units = 10 }"));
        const ModelSpec& model = document.spec().model;
        QVERIFY(isDenseStack(model));
        QCOMPARE(model.layers.size(), std::size_t{2});
        QVERIFY(model.description.layers.empty());
        const auto graph =
            model::buildGraph(descriptionOf(model), {.input = {28, 28, 1}, .columns = {}});
        QVERIFY(graph.has_value());
        QCOMPARE(graph->trainableCount(), std::int64_t{785 * 32 + 33 * 10});
        QCOMPARE(graph->tensors[2].name, std::string("layers.1.weight"));
    }
    void aWrongSizeInAStackIsStillAStack() {
        QVERIFY(isDenseStack(parsed(layers("{ units = 0 }, { units = 10 }")).spec().model));
        QVERIFY(!isDenseStack(parsed(layers("{ units = \"classes\" }")).spec().model));
        QVERIFY(!isDenseStack(parsed(layers("{ units = 10, use_bias = 1 }")).spec().model));
    }
    void aSizeThatIsATextIsToldWhatTextsThereAre() {
        const auto read = parsed(layers("{ units = \"clases\" }"));
        QVERIFY(!read.findings().empty());
        const QString found = QString::fromStdString(read.findings().front().message);
        QVERIFY2(found.contains("\"classes\" or \"vocabulary\", did you mean classes?"),
                 qPrintable(found));
    }
    void mistakesHaveTheirPlace_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const std::string& model, const char* expected) {
            QTest::newRow(name) << QString::fromStdString(model) << QString::fromUtf8(expected);
        };
        row("option", layers("{ type = \"conv2d\", filters = 3, kernel = 3 }"),
            "job.toml:4:43: model.layers[0].kernel is not an option of conv2d, did you mean "
            "kernel_size?");
        row("shape", layers("{ type = \"max_pooling2d\", pool_size = 40 }"),
            "job.toml:4:11: model.layers[0] has a window of 40 x 40, which reaches beyond the 28 x "
            "28 places that it gets");
        row("output", layers("{ type = \"flatten\" }, { type = \"dense\", units = 9 }"),
            "job.toml:4:33: model.layers[1] gives 9 in the end, but the data has 10 classes");
        row("softmax", layers("{ units = \"classes\", activation = \"softmax\" }"),
            "job.toml:4:11: model.layers[0] has an activation, but it gives the logits, to which "
            "the "
            "loss applies softmax");
        row("softmax behind views",
            layers("{ units = \"classes\", activation = \"softmax\" }, { type = \"dropout\", rate "
                   "= 0.1 }, { type = \"reshape\", target_shape = [10] }"),
            "job.toml:4:11: model.layers[0] has an activation, but it gives the logits, to which "
            "the loss applies softmax");
        row("block",
            layers("{ block = \"a\", width = 10 }") +
                "[model.blocks.a]\nlayers = [{ units = \"$width\" }, { type = \"conv2d\", "
                "filters = 1, kernel_size = 1 }]\n",
            "job.toml:6:33: model.blocks.a.layers[1] takes height x width x channels, but gets 10 "
            "(used by model.layers[0])");
        row("parameter",
            layers("{ block = \"a\", width = 0 }") +
                "[model.blocks.a]\nlayers = [{ units = \"$width\" }]\n",
            "job.toml:4:34: model.layers[0].width is 0, but must be a whole number from 1 to "
            "1048576, \"classes\" or \"vocabulary\": it is units of dense in "
            "model.blocks.a.layers[0]");
        row("no layers", "[model.blocks.a]\nlayers = [{ units = 3 }]\n",
            "job.toml: model.layers is missing");
        row("unknown key", layers("{ type = \"flatten\" }, { units = 10 }") + "blokcs = 3\n",
            "job.toml:5:1: there is no key \"model.blokcs\", did you mean model.blocks?");
    }
    void mistakesHaveTheirPlace() {
        QFETCH(const QString, model);
        QFETCH(const QString, expected);
        QCOMPARE(findingsOf(parsed(model.toStdString())), QStringList(expected));
    }
    void whatTheDataSaysIsKnownOfFilesOnly() {
        const JobDocument document = parsed(layers("{ type = \"max_pooling2d\", pool_size = 40 }"),
                                            "dataset = \"idx\"\ndirectory = \"files\"");
        QCOMPARE(findingsOf(document), QStringList());
        QVERIFY(!knownFacts(document.spec().data));
    }
    void otherKeysAreWrittenWithoutTouchingTheModel() {
        JobDocument document = parsed(modelOf("resnet18-cifar10.toml"));
        QVERIFY(document.set("training.epochs", "7").has_value());
        QVERIFY(document.text().find(modelOf("resnet18-cifar10.toml")) != std::string::npos);
        QVERIFY(document.set("model.layers[10].units", "9").has_value());
        QVERIFY(document.text().find("name = \"fc\", units = 9 }") != std::string::npos);
    }
    void aModelOfTheCommandLineReplacesTheFiles() {
        JobDocument document = parsed(layers("{ units = 10 }"));
        QVERIFY(document
                    .applySetting("model.layers=[{ type = \"flatten\" }, { units = 8, use_bias = "
                                  "false }, { units = \"classes\" }]")
                    .has_value());
        QCOMPARE(findingsOf(document), QStringList());
        QVERIFY(!isDenseStack(document.spec().model));
        QVERIFY(document.applySetting("model.layers=[{ type = \"flaten\" }]").has_value());
        QVERIFY(
            findingsOf(document).front().startsWith(QStringLiteral("--set: model.layers[0].type")));
    }
};

QTEST_GUILESS_MAIN(ModelKeysTest)
#include "tst_model_keys.moc"
