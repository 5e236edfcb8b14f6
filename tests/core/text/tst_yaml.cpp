// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/text/yaml.h"

using namespace lockstep;
using namespace lockstep::text;

namespace {

std::string written(const YamlMap& map) {
    return writeYaml({{"", map}});
}

}  // namespace

class YamlTest : public QObject {
    Q_OBJECT
private slots:
    void documentsAreWrittenInOrderWithTheirComments() {
        const YamlMap container{{"name", "worker"}, {"command", YamlList{"a", "/b"}}};
        QCOMPARE(QByteArray::fromStdString(writeYaml(
                     {{"Two lines\n  of words", YamlMap{{"kind", "Job"}, {"count", 3, "of pods"}}},
                      {"", YamlMap{{"list", YamlList{container}}, {"yes", true}}}})),
                 QByteArray("# Two lines\n"
                            "#   of words\n"
                            "kind: Job\n"
                            "count: 3  # of pods\n"
                            "---\n"
                            "list:\n"
                            "  - name: worker\n"
                            "    command:\n"
                            "      - a\n"
                            "      - /b\n"
                            "\"yes\": true\n"));
    }

    void everyTextIsReadAsThatText_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isQuoted");
        const std::vector<std::pair<const char*, bool>> texts = {{"worker", false},
                                                                 {"/etc/lockstep", false},
                                                                 {"", true},
                                                                 {"3", true},
                                                                 {"1e3", true},
                                                                 {"0x1F", true},
                                                                 {"true", true},
                                                                 {"Yes", true},
                                                                 {"no", true},
                                                                 {"on", true},
                                                                 {"null", true},
                                                                 {"~", true},
                                                                 {"12:30", true},
                                                                 {"2001-01-01", true},
                                                                 {".inf", true},
                                                                 {"a: b", true},
                                                                 {"a #b", true},
                                                                 {"- a", true},
                                                                 {"{}", true},
                                                                 {"\xC3\xBC", true},
                                                                 {"a\tb\x01", true},
                                                                 {"it's \"x\"\\n", true},
                                                                 {"a\nb", true},
                                                                 {"\n", true},
                                                                 {" a\nb\n", true},
                                                                 {"a\n\n", true},
                                                                 {"a\r\n", true},
                                                                 {"a\xC2\x85\n", true},
                                                                 {"a\xE2\x80\xA8\n", true}};
        for (const auto& [text, isQuoted] : texts)
            QTest::newRow(text) << QByteArray(text) << isQuoted;
    }
    void everyTextIsReadAsThatText() {
        QFETCH(QByteArray, text);
        QFETCH(bool, isQuoted);
        const std::string yaml = written({{"key", text.toStdString()}});
        QCOMPARE(yaml.starts_with("key: \""), isQuoted);
        const auto read = parseYaml(yaml);
        QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
        QCOMPARE(read->front().get<std::string>("key").value(), text.toStdString());
    }

    void linesStandLineByLine() {
        const std::string text = "[job]\nname = \"\xC3\xBC\"\n\n  indented\n";
        const std::string yaml = written({{"job.toml", text}, {"after", "it"}});
        QVERIFY2(yaml.starts_with("job.toml: |\n  [job]\n"), yaml.c_str());
        const auto read = parseYaml(yaml);
        QCOMPARE(read->front().get<std::string>("job.toml").value(), text);
        QCOMPARE(read->front().get<std::string>("after").value(), std::string("it"));
    }

    void scalarsAreReadAsTheyAreWritten() {
        const auto read =
            parseYaml("a: 3  # three\nb: 'x'\nc: {d: [1, yes]}\n---\n- e\n---\n# nothing\n");
        QVERIFY(read.has_value());
        QCOMPARE(read->at(0).text(), std::string(R"({"a":"3","b":"x","c":{"d":["1","yes"]}})"));
        QCOMPARE(read->at(1).text(), std::string(R"(["e"])"));
    }

    void whatIsRefused_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("problem");
        QByteArray laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
        for (int i = 1; i < 10; ++i) {
            const auto name = "a" + QByteArray::number(i);
            const auto before = "*a" + QByteArray::number(i - 1);
            laughs += name + ": &" + name + " [" + (before + ", ").repeated(9) + before + "]\n";
        }
        QTest::newRow("a tab") << QByteArray("a:\n\tb: c\n")
                               << QByteArray("it is not YAML: line 2");
        QTest::newRow("an open bracket")
            << QByteArray("a: [1, 2\n") << QByteArray("it is not YAML");
        QTest::newRow("an unknown alias") << QByteArray("a: *b\n") << QByteArray("it is not YAML");
        QTest::newRow("a key twice")
            << QByteArray("a: 1\na: 2\n") << QByteArray("\"a\" is in it twice");
        QTest::newRow("aliases of aliases")
            << laughs << QByteArray("it has more than 100000 values");
        QTest::newRow("an alias of itself")
            << QByteArray("a: &a [*a]\n") << QByteArray("it is nested more than 32 levels deep");
        QTest::newRow("deep") << QByteArray(100'000, '[') << QByteArray("it is not YAML");
    }
    void whatIsRefused() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, problem);
        const auto read = parseYaml(text.toStdString());
        QVERIFY(!read);
        QVERIFY2(QByteArray::fromStdString(read.error().message).startsWith(problem),
                 read.error().message.c_str());
    }
};

QTEST_APPLESS_MAIN(YamlTest)
#include "tst_yaml.moc"
