// SPDX-License-Identifier: Apache-2.0
// What is wrong with a key by itself: its name, its type, its bounds; and what holds for every
// finding.
#include "core/base/rng.h"
#include "core/config/lint/address_rules.h"
#include "tests/core/config/bad_jobs.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

std::vector<Bad> unknownAndMistyped() {
    return {
        {"unknown section", with("[trainig]\nepochs = 1\n"), "job.toml:5:2", kError, "trainig",
         "there is no key \"trainig\", did you mean training?",
         "Correct or remove it; the sections are job, "},
        {"unknown key", with("[training]\n  epoch = 1\n"), "job.toml:6:3", kError, "training.epoch",
         "there is no key \"training.epoch\", did you mean training.epochs?",
         "Correct or remove it; the keys of [training] are global_batch_size, "},
        {"key of another section", with("[job]\nseed = 1\n"), "job.toml:6:1", kError, "job.seed",
         "there is no key \"job.seed\", did you mean training.seed?", "Correct or remove it"},
        {"key without section", "epochs = 1\n" + kMinimalJob, "job.toml:1:1", kError, "epochs",
         "there is no key \"epochs\", did you mean training.epochs?", "Correct or remove it"},
        {"Keras' name", with("[training]\nbatch_size = 1\n"), "job.toml:6:1", kError,
         "training.batch_size",
         "there is no key \"training.batch_size\", did you mean training.global_batch_size?",
         "Correct"},
        {"nothing near", with("[job]\nxyzzy = 1\n"), "job.toml:6:1", kError, "job.xyzzy",
         "there is no key \"job.xyzzy\"",
         "Correct or remove it; the keys of [job] are name and run_dir."},
        {"section as value", "training = 3\n" + kMinimalJob, "job.toml:1:12", kError, "training",
         "training is 3, but must be a table", "Write [training] on a line of its own"},
        {"text as number", with("[training]\nepochs = \"2\"\n"), "job.toml:6:10", kError,
         "training.epochs",
         "training.epochs is \"2\", but must be a whole number from 1 to 1000000",
         "Set training.epochs to a whole number from 1 to 1000000, or leave it out for 1."},
        {"fraction as integer", with("[training]\nepochs = 2.5\n"), "job.toml:6:10", kError,
         "training.epochs", "training.epochs is 2.5, but must be a whole number from 1 to 1000000",
         "Set training.epochs"},
        {"zero", with("[training]\nglobal_batch_size = 0\n"), "job.toml:6:21", kError,
         "training.global_batch_size",
         "training.global_batch_size is 0, but must be a whole number from 1 to 16777216",
         "Set training."},
        {"negative", with("[checkpoint]\nevery_steps = -5\n"), "job.toml:6:15", kError,
         "checkpoint.every_steps",
         "checkpoint.every_steps is -5, but must be a whole number from 0 to 1000000000000",
         "Set checkpoint."},
        {"keep none", with("[checkpoint]\nkeep = 0\n"), "job.toml:6:8", kError, "checkpoint.keep",
         "checkpoint.keep is 0, but must be a whole number from 1 to 100000",
         "Set checkpoint.keep to"},
        {"rate of zero", with("[training]\nlearning_rate = 0\n"), "job.toml:6:17", kError,
         "training.learning_rate",
         "training.learning_rate is 0, but must be a number above 0 and at most 1000000",
         "Set training.learning_rate to a number above 0"},
        {"rate that is none", with("[training]\nlearning_rate = nan\n"), "job.toml:6:17", kError,
         "training.learning_rate",
         "training.learning_rate is nan, but must be a number above 0 and at most 1000000",
         "Set training.learning_rate"},
        {"decay of one", with("[training]\nbeta_1 = 1\n"), "job.toml:6:10", kError,
         "training.beta_1", "training.beta_1 is 1, but must be a number from 0 and below 1",
         "Set training.beta_1"},
        {"negative seed", with("[training]\nseed = -1\n"), "job.toml:6:8", kError, "training.seed",
         "training.seed is -1, but must be a whole number from 0",
         "Set training.seed to a whole number from 0."},
        {"unknown word", with("[training]\noptimizer = \"adan\"\n"), "job.toml:6:13", kError,
         "training.optimizer",
         "training.optimizer is \"adan\", but must be \"sgd\", \"adam\", \"adamw\", \"rmsprop\" or "
         "\"lion\", did you mean adam?",
         "Set training.optimizer to \"sgd\", \"adam\", \"adamw\", \"rmsprop\" or \"lion\", or "
         "leave it out for \"adam\"."},
        {"word in capitals", with("[training]\noptimizer = \"SGD\"\n"), "job.toml:6:13", kError,
         "training.optimizer",
         "training.optimizer is \"SGD\", but must be \"sgd\", \"adam\", \"adamw\", \"rmsprop\" or "
         "\"lion\", did you mean sgd?",
         "Set training."},
        {"unknown transport", with("[cluster]\ntransport = \"tcp\"\n"), "job.toml:6:13", kError,
         "cluster.transport",
         "cluster.transport is \"tcp\", but must be \"auto\", \"shm\", \"gloo\" or \"nccl\"",
         "Set cluster."},
        {"date", with("[job]\nname = 1979-05-27\n"), "job.toml:6:8", kError, "job.name",
         "job.name is a date or time, but must be a text in quotes",
         "Set job.name to a text in quotes"},
        {"unknown data set", data("dataset = \"mnsit\"\n"), "job.toml:2:11", kError, "data.dataset",
         "data.dataset is \"mnsit\", but must be \"digits\", \"mnist\", \"idx\", "
         "\"image_folder\", \"table\", \"text\" or \"arrays\", did you mean "
         "mnist?",
         "Set data.dataset to"},
        {"unknown layer", layers("[{ type = \"Dens\", units = 10 }]"), "job.toml:4:20", kError,
         "model.layers[0].type",
         "model.layers[0].type is \"Dens\", which is no type of layer, did you mean dense?",
         "The types of layers are dense, conv2d, "},
        {"unknown option", layers("[{ unit = 3, units = 10 }]"), "job.toml:4:13", kError,
         "model.layers[0].unit",
         "model.layers[0].unit is not an option of dense, did you mean units?",
         "Remove it; the options of dense are units, "},
        {"unknown activation", layers("[{ units = 10, activation = \"ReLu\" }]"), "job.toml:4:38",
         kError, "model.layers[0].activation",
         "model.layers[0].activation is \"ReLu\", but must be \"linear\", \"relu\", "
         "\"leaky_relu\", \"gelu\", \"gelu_tanh\", \"silu\", \"sigmoid\", \"tanh\", \"elu\" or "
         "\"softmax\", did you mean relu?",
         "Set activation of dense to"},
        {"layer without size", layers("[{ units = 0 }]"), "job.toml:4:21", kError,
         "model.layers[0].units",
         "model.layers[0].units is 0, but must be a whole number from 1 to 1048576",
         "Set units of layer 0"},
        {"number as layer", layers("[10]"), "job.toml:4:11", kError, "model.layers[0]",
         "model.layers[0] is 10, but must be a layer",
         "Write a layer as { type = \"dense\", units = 10 }."},
        {"text as layers", layers("\"dense\""), "job.toml:4:10", kError, "model.layers",
         "model.layers is \"dense\", but must be an array of layers",
         "Set model.layers to an array of layers."},
    };
}

}  // namespace

class LintTest : public QObject {
    Q_OBJECT
private slots:
    void everyUnknownOrMistypedKeyIsNamedOnceWithPlaceAndRemedy_data() {
        addRows(unknownAndMistyped());
    }
    void everyUnknownOrMistypedKeyIsNamedOnceWithPlaceAndRemedy() {
        QFETCH(int, index);
        checkNamedOnce(unknownAndMistyped()[static_cast<std::size_t>(index)]);
    }

    void whatIsAllowedIsNotBlamed_data() {
        QTest::addColumn<QString>("more");
        QTest::newRow("port 0 twice")
            << "[cluster]\njob_addresses = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\n";
        QTest::newRow("the same port on two hosts")
            << "[cluster]\njob_addresses = \"a:5000,b:5000\"\n[launch]\nmethod = \"ssh\"\n"
               "[checkpoint]\ncopies = 2\n";
        QTest::newRow("the coordinator's address alone")
            << "[cluster]\njob_addresses = \"127.0.0.1:5000\"\nnum_processes = 4\n";
        QTest::newRow("ssh to named hosts")
            << "[cluster]\njob_addresses = \"a:5000\"\nnum_processes = 2\n[launch]\nmethod = "
               "\"ssh\"\n"
               "hosts = [\"a\", \"b\"]\n[checkpoint]\ncopies = 2\n";
        QTest::newRow("no evaluator") << "[cluster]\nevaluator = false\n";
        QTest::newRow("defaults of another optimizer") << "[training]\nmomentum = 0\n";
        QTest::newRow("both intervals, one off")
            << "[checkpoint]\nevery_steps = 5\nevery_epochs = 0\n";
        QTest::newRow("early stopping as it is")
            << "[training]\nepochs = 9\n[early_stopping]\nmonitor = \"validation_loss\"\n";
        QTest::newRow("another best that is not restored")
            << "[training]\nepochs = 9\n[early_stopping]\nmonitor = \"train_loss\"\nrestore_best = "
               "false\n[checkpoint]\nmonitor = \"train_accuracy\"\nkeep_best = true\n";
        QTest::newRow("an odd but plain folder")
            << "[job]\nrun_dir = \"my runs/\xC3\xBC 'x' # 1\"\n";
    }

    void whatIsAllowedIsNotBlamed() {
        QFETCH(QString, more);
        const auto document = parsed(with(more.toStdString()));
        QVERIFY2(document.findings().empty(),
                 document.findings().empty() ? "" : document.findings()[0].message.c_str());
    }

    void aPortThatTheSystemHandsOutIsWarnedOf() {
        const std::string port = std::to_string(ephemeralPorts().first);
        const auto document =
            parsed(with("[cluster]\njob_addresses = \"127.0.0.1:" + port + "\"\n"));
        QCOMPARE(document.findings().size(), std::size_t{1});
        QVERIFY(document.findings()[0].severity == kWarning);
        QVERIFY(document.findings()[0].message.starts_with(
            "cluster.job_addresses[0] is 127.0.0.1:" + port + ", a port from "));
    }

    void aWrongValueIsBlamedOnceNotByEveryRule() {
        const auto document = parsed(
            "[cluster]\njob_addresses = 7\nnum_processes = 0\n[data]\ndataset = 1\n[model]\nlayers "
            "= 2\n"
            "[training]\nglobal_batch_size = -1\n");
        QCOMPARE(document.findings().size(), std::size_t{5});
        for (const Finding& finding : document.findings()) {
            QVERIFY(finding.severity == Severity::Error);
            QVERIFY(finding.line > 0);
        }
    }

    void severalMistakesComeInOrderOfLine() {
        const auto document =
            parsed("[training]\nepochs = 0\nbeta_1 = 2\n[checkpoint]\nkeep = 0\n");
        std::vector<int> lines;
        for (const Finding& finding : document.findings())
            lines.push_back(finding.line);
        QCOMPARE(lines, (std::vector<int>{0, 0, 2, 3, 5}));
    }

    void noTextBreaksTheReader() {
        const std::string alphabet = "[]{}=.,#\"'\n\r\t \\a1-:_+eE\xC3\xBC";
        int wellFormed = 0;
        for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
            CounterRng rng(seed, 7);
            std::string text = kCommentedJob;
            for (std::uint32_t i = 0, count = 1 + rng.nextBelow(4); i < count; ++i) {
                const std::size_t at = rng.nextBelow(static_cast<std::uint32_t>(text.size()));
                const char c = alphabet[rng.nextBelow(static_cast<std::uint32_t>(alphabet.size()))];
                if (rng.nextBelow(3) == 0) text.resize(at + 1);
                if (rng.nextBelow(2) == 0)
                    text[at] = c;
                else
                    text.insert(at, 1, c);
            }
            const auto document = JobDocument::lenient(text, "job.toml");
            wellFormed += document.wellFormed() ? 1 : 0;
            const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
            for (const Finding& finding : document.findings()) {
                QVERIFY2(!finding.message.empty() && !finding.remedy.empty(), text.c_str());
                QVERIFY2(finding.place.starts_with("job.toml"), text.c_str());
                QVERIFY2(finding.line >= 0 && finding.line <= lines, text.c_str());
            }
            QVERIFY(parsed(resolvedToml(document.spec())).wellFormed());
        }
        QVERIFY(wellFormed > 400 && wellFormed < 3600);  // both sides are exercised
    }
};

QTEST_GUILESS_MAIN(LintTest)
#include "tst_lint.moc"
