// SPDX-License-Identifier: GPL-3.0-or-later
// What core says in the form (the help of layers and what is wrong with them, what an import
// understood), of files that it names and on the page of a run that is shared has a phrase in each
// language.
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/checkpoint/safetensors.h"
#include "core/config/dialects/dialect_readers.h"
#include "core/config/document/effective_cluster.h"
#include "core/config/document/job_file.h"
#include "core/exchange/initial_weights.h"
#include "core/job/report/html_report.h"
#include "core/model/description/layer_table.h"
#include "ui/style/core_words.h"
#include "ui/style/phrase_book.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

/// Texts that people paste, right and wrong.
constexpr const char* kPasted[] = {
    R"(TF_CONFIG='{"cluster": {"chief": ["host0:1"], "worker": ["host1:12345", "host2:12345"]}, "task": {"type": "worker", "index": 1}}')",
    R"({"cluster": {"worker": ["host1:1"], "evaluator": ["host9:1"]}, "task": {"type": "evaluator", "index": 0}})",
    R"({"cluster": {"worker": ["host1:1"], "ps": ["host9:1"]}, "task": {"type": "worker", "index": 0}})",
    R"({"cluster": {"worker": ["host1:1"]}, "task": {"type": "worker", "index": 4}})",
    R"({"cluster": {"wurker": ["host1:1"]}})",
    R"({"cluster": {"worker": [host1]}})",
    "KERAS_DISTRIBUTION_JOB_ADDRESSES=10.0.0.1:1234,10.0.0.2:1234\n"
    "KERAS_DISTRIBUTION_NUM_PROCESSES=2",
    "KERAS_DISTRIBUTION_JOB_ADDRESSES=10.0.0.1:1234\nKERAS_DISTRIBUTION_NUM_PROCESSES=two",
    "KERAS_DISTRIBUTION_NUMBER=2",
    "jax.distributed.initialize(coordinator_address='10.0.0.1:1234', num_processes=2, "
    "process_id=0, local_device_ids=[0, 1], initialization_timeout=3, slice_index=1)",
    "jax.distributed.initialize(coordinator_adress='10.0.0.1:1234')",
    "initialize('10.0.0.1:1234', num_processes=2, process_id=2)",
    "torchrun --nnodes 2 --nproc-per-node 2 --node-rank 1 --master-addr host1 train.py",
    "torchrun --nnodes 2 train.py",
    "MASTER_ADDR=host1\nMASTER_PORT=29500\nWORLD_SIZE=4\nRANK=1\nHOME=/root",
    "MASTER_ADDR=host1\nRANK=1",
    "SLURM_JOB_ID=7\nSLURM_STEP_NODELIST=node[1-2]\nSLURM_NTASKS=2\nSLURM_PROCID=1\n"
    "SLURM_LOCALID=0",
    "OMPI_COMM_WORLD_SIZE=2\nOMPI_COMM_WORLD_RANK=0",
    "host1 slots=4\nhost2 slots=2",
    "host1 slots=4\nhost1 slots=2",
    "host1 slots=none",
    "node[001-004],gpu7",
    "node[4-1]",
    "node[1-4",
    "host1:12345, host2:12345",
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec: {parallelism: 2}",
    "apiVersion: [",
    "some words of no use",
    "JAX_NUM_PROCESSES=4\nJAX_COORDINATOR_ADDRESS=host1:1",
};

/// Each with something wrong in it, for images of 28 x 28 x 1.
constexpr const char* kWrongModels[] = {
    "[model]\nlayers = []",
    "[model]\nlayers = [7, { type = 'dense', block = 'x' }]",
    "[model]\nlayers = [{ type = 'conv2d', filters = 4, kernel_size = 30 }]",
    "[model]\nlayers = [{ type = 'flatten' }, { type = 'conv2d', filters = 4, kernel_size = 3 }]",
    "[model]\nlayers = [{ type = 'flatten' }, { type = 'lstm', units = 4 }]",
    "[model]\nlayers = [{ type = 'conv2d', filters = 4, kernel_size = 3, groups = 3 }]",
    "[model]\nlayers = [{ type = 'max_pooling2d', pool_size = 2, padding = 2 }]",
    "[model]\nlayers = [{ type = 'reshape', target_shape = [3, 5] }]",
    "[model]\nlayers = [{ type = 'embedding', input_dim = 9, output_dim = 4 }]",
    "[model]\nlayers = [{ type = 'dens', units = 4 }, { type = 3 }]",
    "[model]\nlayers = [{ type = 'dense', unit = 4 }, { type = 'dense', zzz = 1, units = 1 }]",
    "[model]\nlayers = [{ type = 'dense', units = '$n' }, { type = 'dense' }]",
    "[model]\nlayers = [{ type = 'add', inputs = ['a'] }, { type = 'add' }]",
    "[model]\nlayers = [{ type = 'dense', units = 4, inputs = ['a', 'b'] }]",
    "[model]\nlayers = [{ type = 'dense', units = 4, input = 'later' }]",
    "[model]\nlayers = [{ type = 'dense', units = 4, input = 5, name = 'no name' }]",
    "[model]\nlayers = [{ type = 'dense', units = 4, name = 'data' }]",
    "[model]\nlayers = [{ type = 'dense', units = 4, name = 'a' }, { type = 'dense', units = 4, "
    "name = 'a' }]",
    "[model]\nlayers = [{ type = 'flatten', name = 'a' }, { type = 'dense', units = 4 }, { type = "
    "'add', inputs = ['a', 'data'] }]",
    "[model]\nlayers = [{ type = 'dense', units = 4, input = 'data.age' }]",
    "[model]\nlayers = [{ residual = [{ type = 'dense', units = 4 }] }]",
    "[model]\nlayers = [{ residual = [] }, { block = 'x' }, { block = 3 }]",
    "[model]\nlayers = [{ block = 'x', n = 1 }]\n[model.blocks.x]\nlayers = [{ type = 'dense', "
    "units = '$m' }]",
    "[model]\nlayers = [{ block = 'x' }]\n[model.blocks.x]\nlayers = [{ block = 'x' }]",
    "[model]\nlayers = [{ block = 'x', repeat = 0 }]\n[model.blocks.x]\nsize = 3\n[model.blocks]\n"
    "y = 3",
    "[model]\nblocks = 3\ndefaults = 4\nlayer = []",
    "[model]\nlayers = [{ type = 'flatten' }]\n[model.defaults]\ndense = 3\ndens = {}",
    "[model]\nlayers = [{ type = 'flatten', name = 'unused' }, { type = 'dense', units = 10, input "
    "= 'data' }]",
};

/// What is no TOML, and values that are nothing to show.
constexpr const char* kWrongTexts[] = {
    "a = [1 2]",
    "a = [1,,]",
    "a = {b = 1,}",
    "a = \n",
    "a = ",
    "a = \"b",
    "a = \"\\d\"",
    "a 1",
    "a = 1 b",
    "a = 1\na = 2",
    "[a]\n[a]",
    "[data",
    "\u00e4 = 1",
    "shuffle = {}",
    "shuffle = [1]",
    "shuffle = []",
    "shuffle = 1979-05-27",
    "[model]\nlayers = [{ type = [] }]\n[model.defaults]\ndense = 1979-05-27",
};

/// Files that are no weights, or not those of a network whose tensors are fc.weight and fc.bias.
std::vector<std::string> wrongWeights() {
    using checkpoint::DType;
    const std::string zeros(24, '\0');
    const std::string_view six(zeros);
    std::vector<checkpoint::SafetensorView> few{{"fc.weight", DType::F32, {6}, six},
                                                {"fc.bias", DType::I64, {3}, six}};
    std::vector<checkpoint::SafetensorView> many{{"module.fc.bias", DType::F64, {3}, six},
                                                 {"fc.bias", DType::F64, {3}, six}};
    for (int i = 0; i < 12; ++i)
        many.push_back({"aux." + std::to_string(i), DType::F32, {6}, six});
    return {"PK",
            "\x80",
            "\x89HDF",
            "short",
            checkpoint::encodeSafetensors(few, {}).value(),
            checkpoint::encodeSafetensors(many, {}).value()};
}

/// What is said of such a file.
std::vector<std::string> saidOfWeights(const std::string& bytes) {
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("fc.safetensors")));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(bytes.data(), qint64(bytes.size()));
    file.close();
    model::Graph graph;
    for (const char* name : {"fc.weight", "fc.bias"})
        graph.tensors.push_back({.name = name, .shape = {3}, .initializer = {}});
    const auto read = exchange::readInitialWeights(
        {.file = "fc.safetensors", .rename = {{"module.", ""}, {"net.", ""}}, .except = {"head."}},
        folder.path().toStdString(), graph);
    if (read) return {};
    return {read.error().message, read.error().remedy};
}

std::vector<std::string> wrongIn(const std::string& model) {
    std::vector<std::string> said;
    const auto job =
        config::JobDocument::lenient("[data]\ndataset = 'digits'\n" + model, "job.toml");
    for (const config::Finding& finding : job.findings())
        said.insert(said.end(), {finding.message, finding.remedy});
    return said;
}

std::vector<std::string> saidOf(const char* pasted) {
    const auto reading = config::readAny(pasted);
    if (!reading) return {reading.error().message, reading.error().remedy};
    std::vector<std::string> said = reading->notes;
    for (const config::Finding& finding : reading->findings)
        said.insert(said.end(), {finding.message, finding.remedy});
    for (const std::string& line : config::explain(reading->facts))
        said.push_back(line);
    return said;
}

/// A run of which a page has something to say in all of its sections.
job::RunRecord fullRecord() {
    auto view = std::make_shared<job::RunView>();
    view->runId = "7";
    view->name = "mnist";
    view->state = job::RunState::Failed;
    view->startedWallTime = 1'790'000'000;
    view->endedWallTime = 1'790'000'090;
    view->step = 80;
    view->totalSteps = 100;
    view->replicaCount = 2;
    view->sentence = "stopped";
    view->error = "was killed by signal 9 (SIGKILL)";
    view->summaryJson =
        R"({"test_accuracy": 0.9, "test_loss": 1, "validation_accuracy": 0.9, "validation_loss": 1,
            "train_accuracy": 0.9, "train_loss": 1, "best_value": 0.9, "best_epoch": 2,
            "samples_per_second": 12})";
    view->starts = {{.firstStep = 0, .replicas = 1}, {.firstStep = 40, .replicas = 2}};
    view->failures = {{.processId = 1, .host = "a", .cause = "was killed by signal 9 (SIGKILL)"}};
    view->checkpoints = {{.step = 20, .path = {}, .error = {}}};
    view->replicas.resize(2);
    view->replicas[1].role = job::Role::Evaluator;
    view->epochResults.resize(300);
    view->epochResults.front().trainAccuracy = 0.5;
    auto scored = std::make_shared<job::EvaluationView>();
    scored->step = 20;
    scored->split = "validation";
    scored->accuracy = 0.5;
    scored->classes = 2;
    scored->confusion = {4, 2, 1, 4};
    scored->residuals.resize(1);
    view->evaluations = {scored};
    job::RunRecord record;
    for (int step = 1; step <= 80; ++step)
        record.loss.add(step, step == 2 ? NAN : 1.0 / step, 1);
    record.about.name = "the wide one";
    record.newestWallTime = view->endedWallTime;
    record.view = std::move(view);
    return record;
}

/// What stays English of them, a line each.
QString untranslated(const std::vector<std::string>& sentences, const QString& language) {
    const PhraseBook book(corePhrases(language));
    QString english;
    for (const std::string& sentence : sentences) {
        const auto translated = book.translate(QString::fromStdString(sentence));
        if (translated.unknown > 0) english += translated.words + QLatin1Char('\n');
    }
    return english;
}

/// All of them, a line each.
QString translated(const std::vector<std::string>& sentences, const QString& language) {
    const PhraseBook book(corePhrases(language));
    QString words;
    for (const std::string& sentence : sentences)
        words += book.translate(QString::fromStdString(sentence)).words + QLatin1Char('\n');
    return words;
}

}  // namespace

class FormPhrasesTest : public QObject {
    Q_OBJECT
private slots:
    void whatAnImportUnderstandsIsTranslated_data() { addLanguages(); }
    void whatAnImportUnderstandsIsTranslated() {
        QFETCH(const QString, language);
        std::vector<std::string> all;
        for (const char* pasted : kPasted)
            for (const std::string& sentence : saidOf(pasted))
                all.push_back(sentence);
        const QString english = untranslated(all, language);
        QVERIFY2(english.isEmpty(), qPrintable(english));
    }

    void whatTheHostsOfAnEnvironmentHaveIsTranslated() {
        const PhraseBook book(corePhrases(QStringLiteral("de")));
        const auto said = book.translate(QStringLiteral(
            "the hosts from SLURM_STEP_NODELIST have unequal numbers of processes: node001 has 2 "
            "processes, node002 has 1 process; the fullest host sets the pace of every step"));
        QCOMPARE(said.words,
                 QStringLiteral("die Hosts aus SLURM_STEP_NODELIST haben ungleich viele Prozesse: "
                                "node001 hat 2 Prozesse, node002 hat 1 Prozess; der vollste Host "
                                "gibt das Tempo jedes Schritts vor"));
    }

    void theHelpOfLayersIsTranslated_data() { addLanguages(); }
    void theHelpOfLayersIsTranslated() {
        QFETCH(const QString, language);
        std::vector<std::string> all;
        for (const model::LayerType& type : model::layerTypes()) {
            all.push_back(type.help);
            for (const model::OptionType& option : type.options)
                all.push_back(option.help);
        }
        const QString english = untranslated(all, language);
        QVERIFY2(english.isEmpty(), qPrintable(english));
    }

    void whatIsWrongWithALayerIsTranslated_data() { addLanguages(); }
    void whatIsWrongWithALayerIsTranslated() {
        QFETCH(const QString, language);
        std::vector<std::string> all;
        for (const char* model : kWrongModels) {
            const std::vector<std::string> said = wrongIn(model);
            QVERIFY2(!said.empty(), model);
            all.insert(all.end(), said.begin(), said.end());
        }
        const QString english = untranslated(all, language);
        QVERIFY2(english.isEmpty(), qPrintable(english));
    }

    void whatIsWrongWithATextIsTranslated_data() { addLanguages(); }
    void whatIsWrongWithATextIsTranslated() {
        QFETCH(const QString, language);
        std::vector<std::string> all;
        for (const char* text : kWrongTexts) {
            const std::vector<std::string> said = wrongIn(text);
            QVERIFY2(!said.empty(), text);
            all.insert(all.end(), said.begin(), said.end());
        }
        const QString english = untranslated(all, language);
        QVERIFY2(english.isEmpty(), qPrintable(english));
        for (const char* value : {" an array,", " an empty array,", " a table,", " a date or"})
            QVERIFY2(!translated(all, language).contains(QLatin1String(value)), value);
    }

    void whatIsWrongWithAFileOfWeightsIsTranslated_data() { addLanguages(); }
    void whatIsWrongWithAFileOfWeightsIsTranslated() {
        QFETCH(const QString, language);
        std::vector<std::string> all;
        for (const std::string& bytes : wrongWeights()) {
            const std::vector<std::string> said = saidOfWeights(bytes);
            QVERIFY2(!said.empty(), bytes.c_str());
            all.insert(all.end(), said.begin(), said.end());
        }
        const QString english = untranslated(all, language);
        QVERIFY2(english.isEmpty(), qPrintable(english));
        QVERIFY(!translated(all, language).contains(QLatin1String(" more")));
    }

    void aLayersFaultNamesTheLayerFirst() {
        const PhraseBook book(corePhrases(QStringLiteral("de")));
        const auto said = book.translate(
            QStringLiteral("model.layers[1] takes height x width x channels, but gets 784"));
        QCOMPARE(said.words, QStringLiteral("model.layers[1] nimmt Höhe x Breite x Kanäle, bekommt "
                                            "aber 784"));
    }

    void theSharedPageIsTranslated_data() { addLanguages(); }
    void theSharedPageIsTranslated() {
        QFETCH(const QString, language);
        std::vector<std::string> all;
        const auto note = [&all](const std::string& english) {
            all.push_back(english);
            return english;
        };
        const std::string page = job::htmlReport(fullRecord(), {language.toStdString(), note});
        QVERIFY(all.size() > 60);
        QVERIFY(page.find("100 rows between") != std::string::npos);
        const QString english = untranslated(all, language);
        QVERIFY2(english.isEmpty(), qPrintable(english));
    }

private:
    static void addLanguages() {
        QTest::addColumn<QString>("language");
        QTest::newRow("German") << "de";
        QTest::newRow("Chinese") << "zh";
    }
};

QTEST_GUILESS_MAIN(FormPhrasesTest)
#include "tst_form_phrases.moc"
