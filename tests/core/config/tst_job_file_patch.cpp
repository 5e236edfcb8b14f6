// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/base/rng.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

/// One `set` and the text before and after it.
struct Patch {
    const char* name;
    std::string before;
    const char* key;
    const char* value;
    std::string after;
};

const std::vector<Patch>& patches() {
    static const std::vector<Patch> kPatches = {
        {"a value keeps its comment", "[training]\nepochs =  2   # two\n", "training.epochs", "3",
         "[training]\nepochs =  3   # two\n"},
        {"a key goes behind the last of its table",
         "[training]\nepochs = 2 # e\n\n[job]\nname = 'x'\n", "training.seed", "5",
         "[training]\nepochs = 2 # e\nseed = 5\n\n[job]\nname = 'x'\n"},
        {"with its indent", "[training]\n  epochs = 2\n", "training.seed", "5",
         "[training]\n  epochs = 2\n  seed = 5\n"},
        {"behind a value of many lines",
         "[model]\nlayers = [\n]\n# end\n[job]\nname = 'x'\n[training]\n", "training.epochs", "1",
         "[model]\nlayers = [\n]\n# end\n[job]\nname = 'x'\n[training]\nepochs = 1\n"},
        {"a table is added at the end", "[job]\nname = 'x'", "training.seed", "5",
         "[job]\nname = 'x'\n\n[training]\nseed = 5\n"},
        {"to an empty text", "", "training.seed", "5", "[training]\nseed = 5\n"},
        {"line breaks of Windows", "[job]\r\nname = 'x' # n\r\n", "job.run_dir", "r",
         "[job]\r\nname = 'x' # n\r\nrun_dir = \"r\"\r\n"},
        {"an inline table", "training = { epochs = 2 } # t\n", "training.seed", "5",
         "training = { epochs = 2, seed = 5 } # t\n"},
        {"an empty inline table", "training = {}\n", "training.seed", "5",
         "training = { seed = 5 }\n"},
        {"dotted keys", "training.epochs = 2\ndata.dataset = 'digits'\n", "training.seed", "5",
         "training.epochs = 2\ntraining.seed = 5\ndata.dataset = 'digits'\n"},
        {"a table known by its child only", "[training.deep]\nx = 1\n", "training.seed", "5",
         "[training.deep]\nx = 1\n\n[training]\nseed = 5\n"},
        {"a quoted header", "[ \"training\" ]\n", "training.seed", "5",
         "[ \"training\" ]\nseed = 5\n"},
        {"characters of several bytes before", "[job]\nname = '\xC3\xBC\xE2\x82\xAC' # \xC3\xBC\n",
         "job.name", "y", "[job]\nname = \"y\" # \xC3\xBC\n"},
        {"one element of an array", "[launch]\nhosts = ['a', 'b', 'c']\n", "launch.hosts",
         "['a', 'x', 'c']", "[launch]\nhosts = ['a', 'x', 'c']\n"},
        {"an element more", "[launch]\nhosts = ['a', 'b']\n", "launch.hosts",
         "['a', 'b', 'c', 'd']", "[launch]\nhosts = ['a', 'b', 'c', 'd']\n"},
        {"an element more behind a comma", "[launch]\nhosts = ['a', ]\n", "launch.hosts",
         "['a', 'b']", "[launch]\nhosts = ['a', 'b', ]\n"},
        {"the first element", "[launch]\nhosts = []\n", "launch.hosts", "['a', 'b']",
         "[launch]\nhosts = ['a', 'b']\n"},
        {"elements less", "[launch]\nhosts = ['a', 'b', 'c']\n", "launch.hosts", "['a']",
         "[launch]\nhosts = ['a']\n"},
        {"no elements left", "[launch]\nhosts = ['a', 'b']\n", "launch.hosts", "[]",
         "[launch]\nhosts = []\n"},
        {"an element more on its own line", "[launch]\nhosts = [\n  'a', # a\n  'b'  # b\n]\n",
         "launch.hosts", "['a', 'b', 'c']",
         "[launch]\nhosts = [\n  'a', # a\n  'b',  # b\n  'c'\n]\n"},
        {"and with commas", "[launch]\nhosts = [\n  'a', # a\n]\n", "launch.hosts",
         "['a', 'b', 'c']", "[launch]\nhosts = [\n  'a', # a\n  'b',\n  'c',\n]\n"},
        {"an element less on its own line", "[launch]\nhosts = [\n  'a', # a\n  'b',\n]\n",
         "launch.hosts", "['a']", "[launch]\nhosts = [\n  'a', # a\n]\n"},
        {"its comment stays", "[launch]\nhosts = [\n  'a',\n  'b', # b\n]\n", "launch.hosts",
         "['a']", "[launch]\nhosts = [\n  'a',\n   # b\n]\n"},
        {"an option of a layer", "[model]\nlayers = [{ units = 1 }, { units = 2 }]\n",
         "model.layers[1].units", "3", "[model]\nlayers = [{ units = 1 }, { units = 3 }]\n"},
        {"an option more", "[model]\nlayers = [{ units = 1 }]\n", "model.layers[0].activation",
         "relu", "[model]\nlayers = [{ units = 1, activation = \"relu\" }]\n"},
        {"an option in a table of its own", "[[model.layers]]\nunits = 1 # u\n",
         "model.layers[0].units", "2", "[[model.layers]]\nunits = 2 # u\n"},
        {"an unchanged value", "[launch]\nhosts = [ 'a' ,'b' ]\n", "launch.hosts", "[\"a\", \"b\"]",
         "[launch]\nhosts = [ 'a' ,'b' ]\n"},
    };
    return kPatches;
}

/// Every comment of the text that a change could lose.
QStringList lostComments(const std::string& text) {
    QStringList lost;
    for (int i = 1; i <= 17; ++i) {
        const QString mark = QStringLiteral("# c%1:").arg(i, 2, 10, QLatin1Char('0'));
        if (QString::fromStdString(text).count(mark) != 1) lost << mark;
    }
    return lost;
}

std::string randomArray(CounterRng& rng, const std::vector<std::string>& items, bool onLines) {
    std::string text = "[";
    const std::uint32_t count = rng.nextBelow(6);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i > 0) text += onLines ? ",\n  " : ", ";
        text += items[rng.nextBelow(static_cast<std::uint32_t>(items.size()))];
    }
    return text + "]";
}

/// A key and a value for it, most of them valid.
std::pair<std::string, std::string> randomSet(CounterRng& rng) {
    const std::vector<std::string> hosts{"\"10.0.0.1:1\"", "'10.0.0.2:1'", "\"[::1]:0\"", "'bad'"};
    const std::vector<std::string> layers{"{ type = \"dense\", units = 5 }", "{units=256}",
                                          "{ units = 10, activation = 'relu', type = 'dense' }"};
    switch (rng.nextBelow(9)) {
        case 0:
            return {"cluster.job_addresses", randomArray(rng, hosts, rng.nextBelow(2) == 0)};
        case 1:
            return {"model.layers", randomArray(rng, layers, rng.nextBelow(2) == 0)};
        case 2:
            return {"launch.hosts", randomArray(rng, hosts, false)};
        case 3:
            return {"training.epochs", std::to_string(rng.nextBelow(100))};
        case 4:
            return {"checkpoint.keep", std::to_string(rng.nextBelow(5))};
        case 5:
            return {"job.name", "n # " + std::to_string(rng.nextBelow(9)) + " \" \\ \xC3\xBC"};
        case 6:
            return {"cluster.evaluator", rng.nextBelow(2) == 0 ? "false" : "h:1"};
        case 7:
            return {"training.learning_rate", "1e-" + std::to_string(rng.nextBelow(9))};
        default:
            return {"data.directory", rng.nextBelow(2) == 0 ? "" : "''' # ]'''"};
    }
}

}  // namespace

class JobFilePatchTest : public QObject {
    Q_OBJECT
private slots:
    void aPatchTouchesNothingElse_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < patches().size(); ++i)
            QTest::newRow(patches()[i].name) << static_cast<int>(i);
    }
    void aPatchTouchesNothingElse() {
        QFETCH(int, index);
        const Patch& patch = patches()[static_cast<std::size_t>(index)];
        auto document = parsed(patch.before);
        const auto written = document.set(patch.key, patch.value);
        QVERIFY2(written.has_value(), written ? "" : written.error().message.c_str());
        QCOMPARE(QString::fromStdString(document.text()), QString::fromStdString(patch.after));
    }

    void aRandomSequenceKeepsEveryCommentAndAlwaysParses() {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            CounterRng rng(seed);
            const bool windows = seed % 3 == 0;
            std::string text = kCommentedJob;
            if (windows) text = QString::fromStdString(text).replace("\n", "\r\n").toStdString();
            auto document = parsed(text);
            QVERIFY(document.wellFormed());
            for (int step = 0; step < 40; ++step) {
                const auto [key, value] = randomSet(rng);
                const std::string before = document.text();
                const auto written = document.set(key, value);
                const std::string trace = "seed " + std::to_string(seed) + ", " + key + " = " +
                                          value + "\nbefore:\n" + before + "\nafter:\n" +
                                          document.text();
                QVERIFY2(written.has_value(), trace.c_str());
                QVERIFY2(lostComments(document.text()).isEmpty(), trace.c_str());
                QVERIFY2(JobDocument::parse(document.text(), "job.toml").has_value(),
                         trace.c_str());
            }
            const QString last = QString::fromStdString(document.text());
            QVERIFY(last.indexOf("# c01") < last.indexOf("# c04") &&
                    last.indexOf("# c04") < last.indexOf("# c13"));
        }
    }

    void aRemovedKeyLeavesItsComment() {
        auto document = parsed("[training]\nepochs = 2 # e\nseed = 1\n\nmomentum = 0\n");
        QVERIFY(document.unset("training.epochs").has_value());
        QVERIFY(document.unset("training.seed").has_value());
        QVERIFY(document.unset("training.beta_1").has_value());
        QVERIFY(document.unset("checkpoint.keep").has_value());
        QCOMPARE(document.text(), std::string("[training]\n# e\n\nmomentum = 0\n"));
        QVERIFY(!document.unset("training.epoch").has_value());
    }

    void aKeyOfAnInlineTableIsRemoved() {
        auto document =
            parsed("[model]\nlayers = [{ type = 'dense', units = 1, activation = 'relu' }]\n");
        QVERIFY(document.unset("model.layers[0].type").has_value());
        QCOMPARE(document.text(),
                 std::string("[model]\nlayers = [{ units = 1, activation = 'relu' }]\n"));
        QVERIFY(document.unset("model.layers[0].activation").has_value());
        QCOMPARE(document.text(), std::string("[model]\nlayers = [{ units = 1 }]\n"));
        QVERIFY(document.unset("model.layers[5].units").has_value());
        QVERIFY(document.unset("model.layers[0].units").has_value());
        QVERIFY(parsed(document.text()).wellFormed());
    }

    void unsetUndoesSet() {
        const std::string before = kCommentedJob + "\n";
        for (const char* key :
             {"training.seed", "job.run_dir", "cluster.device", "launch.max_restarts"}) {
            auto document = parsed(before);
            QVERIFY(document.set(key, "1").has_value());
            QVERIFY(document.text() != before);
            QVERIFY(document.unset(key).has_value());
            QCOMPARE(QString::fromStdString(document.text()), QString::fromStdString(before));
        }
    }

    void aLayoutThatCannotBePatchedIsRefusedUnchanged() {
        const std::string before = "[[model.layers]]\nunits = 1\n[[model.layers]]\nunits = 10\n";
        auto document = parsed(before);
        const auto written = document.set("model.layers", "[{ units = 10 }]");
        QVERIFY(!written.has_value());
        QCOMPARE(written.error().code, ErrorCode::BadInput);
        QCOMPARE(document.text(), before);
        QCOMPARE(document.spec().model.layers.size(), std::size_t{2});
    }

    void copiesAreIndependent() {
        const auto first = parsed(kMinimalJob);
        auto second = first;
        QVERIFY(second.set("training.epochs", "9").has_value());
        QCOMPARE(first.text(), kMinimalJob);
        QCOMPARE(first.spec().training.epochs, 1);
        QCOMPARE(second.spec().training.epochs, 9);
    }
};

QTEST_GUILESS_MAIN(JobFilePatchTest)
#include "tst_job_file_patch.moc"
