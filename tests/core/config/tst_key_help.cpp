// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <set>

#include "core/config/document/job_file.h"
#include "core/config/keys/key_help.h"
#include "core/config/keys/key_reference.h"

using namespace lockstep::config;

class KeyHelpTest : public QObject {
    Q_OBJECT
private slots:
    void everyKeyIsExplainedOnce() {
        std::set<std::string> keys;
        for (const KeyHelp& help : allKeyHelp()) {
            QVERIFY2(keys.insert(help.key).second, help.key.c_str());
            QVERIFY2(help.help.ends_with('.') && help.help.find('\n') == std::string::npos,
                     help.key.c_str());
            QVERIFY2(help.kind != ValueKind::Word || !help.words.empty(), help.key.c_str());
            QCOMPARE(keyHelp(help.key), &help);
        }
        QCOMPARE(keys.size(), std::size_t{158});
    }

    void helpSaysKindRangeDefaultAndUnit() {
        const KeyHelp* timeout = keyHelp("cluster.heartbeat_timeout_seconds");
        QVERIFY(timeout != nullptr);
        QCOMPARE(timeout->kind, ValueKind::Number);
        QCOMPARE(timeout->minimum, std::optional<double>(1));
        QVERIFY(!timeout->aboveMinimum);
        QCOMPARE(timeout->defaultToml, std::string("10.0"));
        QCOMPARE(timeout->unit, std::string("s"));
        QCOMPARE(keyHelp("training.optimizer")->words,
                 (std::vector<std::string>{"sgd", "adam", "adamw", "rmsprop", "lion"}));
        QCOMPARE(keyHelp("training.epsilon")->defaultToml, std::string("1e-07"));
        QVERIFY(keyHelp("data.dataset")->defaultToml.empty());
    }

    void theReferenceSaysWhatAKeyTakes() {
        QCOMPARE(valueText(*keyHelp("cluster.num_processes")),
                 std::string("whole number from 1 to 4096 (processes)"));
        QCOMPARE(valueText(*keyHelp("training.momentum")),
                 std::string("number from 0 and below 1"));
        QCOMPARE(valueText(*keyHelp("launch.method")), std::string("one of local, ssh and slurm"));
        KeyHelp odd = *keyHelp("job.name");
        odd.help = "This | that.";
        const std::string page = keyReferencePage({odd});
        QVERIFY(page.find("## [job]\n\n| key | takes | default | |\n") != std::string::npos);
        QVERIFY(page.find("| `job.name` | text | `\"job\"` | This \\| that. |") !=
                std::string::npos);
        for (const KeyHelp& help : allKeyHelp())
            QVERIFY2(keyReferenceText(allKeyHelp()).find(help.help) != std::string::npos,
                     help.key.c_str());
    }

    void anOptionOfALayerIsFoundWithItsIndex() {
        const KeyHelp* units = keyHelp("model.layers[12].units");
        QVERIFY(units != nullptr);
        QCOMPARE(units->key, std::string("model.layers[].units"));
        QCOMPARE(units, keyHelp("model.layers[].units"));
        for (const char* wrong : {"", "training", "training.", "model.layers[0]", "epochs"})
            QVERIFY(keyHelp(wrong) == nullptr);
    }

    void everyDefaultIsWhatAnAbsentKeyMeans() {
        const auto minimal = JobDocument::parse(
            "[data]\ndataset = \"digits\"\n[model]\nlayers = "
            "[{ type = \"dense\", units = 10 }]\n",
            "job.toml");
        QVERIFY(minimal && minimal->findings().empty());
        for (const KeyHelp& help : allKeyHelp()) {
            if (help.defaultToml.empty() || help.key.find('[') != std::string::npos) continue;
            JobDocument written = *minimal;
            QVERIFY2(written.set(help.key, help.defaultToml).has_value(), help.key.c_str());
            QVERIFY2(written.findings().empty(), help.key.c_str());
            QCOMPARE(resolvedToml(written.spec()), resolvedToml(minimal->spec()));
        }
    }

    void nearWordsAreSuggested() {
        const std::vector<std::string> names{"adam", "sgd", "global_batch_size"};
        QCOMPARE(didYouMean("SGD", names), std::string(", did you mean sgd?"));
        QCOMPARE(didYouMean("Adma", names), std::string(", did you mean adam?"));
        QCOMPARE(didYouMean("batch_size", names), std::string(", did you mean global_batch_size?"));
        QCOMPARE(didYouMean("rmsprop", names), std::string());
    }
};

QTEST_GUILESS_MAIN(KeyHelpTest)
#include "tst_key_help.moc"
