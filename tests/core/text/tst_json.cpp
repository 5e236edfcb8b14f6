// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <limits>

#include "core/text/json.h"
#include "core/text/json_fields.h"

using namespace lockstep;
using namespace lockstep::text;

namespace {

Json parsed(std::string_view text) {
    return parseJson(text).value_or(Json("unreadable"));
}

}  // namespace

class JsonTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsWrittenIsRead() {
        auto written = Json::object({{"name", "a \"b\" \xC3\xBC\n"},
                                     {"step", std::int64_t{-3}},
                                     {"seed", std::numeric_limits<std::uint64_t>::max()},
                                     {"loss", 0.1},
                                     {"done", true},
                                     {"best", std::optional<int>()},
                                     {"counts", std::vector<int>{1, 2}}});
        written["tensors"]["a"] = "x";
        written["failures"].push(Json::object({}));
        const Json read = parsed(written.text(2));
        QCOMPARE(read.text(), written.text());
        QCOMPARE(read.get<std::string>("name").value(), std::string("a \"b\" \xC3\xBC\n"));
        QCOMPARE(read.get<int>("step").value(), -3);
        QCOMPARE(read.get<std::uint64_t>("seed").value(),
                 std::numeric_limits<std::uint64_t>::max());
        QCOMPARE(read.get<double>("loss").value(), 0.1);
        QCOMPARE(read.get<bool>("done").value(), true);
        QVERIFY(read.find("best")->isNull());
        QCOMPARE(read.get<std::vector<int>>("counts").value(), std::vector<int>({1, 2}));
        QCOMPARE((read.get<std::map<std::string, std::string>>("tensors").value().at("a")),
                 std::string("x"));
    }

    void aValueOfAnotherTypeIsNone() {
        const Json value =
            parsed(R"({"big": 300, "minus": -1, "half": 0.5, "text": "1", "yes": true,
                                      "mixed": [1, "2"]})");
        QVERIFY(!value.get<std::uint8_t>("big"));
        QVERIFY(!value.get<std::uint64_t>("minus"));
        QVERIFY(!value.get<int>("half"));
        QVERIFY(!value.get<int>("text"));
        QVERIFY(!value.get<int>("yes"));
        QVERIFY(!value.get<double>("yes"));
        QVERIFY(!value.get<std::string>("big"));
        QVERIFY(!value.get<std::vector<int>>("mixed"));
        QVERIFY(!value.get<int>("absent"));
        QVERIFY(!value.find("text")->get<int>("a member of what is no object"));
        QCOMPARE(value.get<double>("big").value(), 300.0);
    }

    void whatIsRefused_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("problem");
        QTest::newRow("nothing") << QByteArray(" \n") << QByteArray("it is empty");
        QTest::newRow("cut off") << QByteArray("{\"a\": 1") << QByteArray("it is not JSON");
        QTest::newRow("more behind it") << QByteArray("{} {}") << QByteArray("it is not JSON");
        QTest::newRow("not UTF-8") << QByteArray("\"\xff\"") << QByteArray("it is not JSON");
        QTest::newRow("beyond doubles") << QByteArray("1e999") << QByteArray("it is not JSON");
        QTest::newRow("a name twice")
            << QByteArray(R"([{"a": 1, "a": 1}])") << QByteArray("\"a\" is in it twice");
        QTest::newRow("9 levels") << QByteArray("[[[[[[[[[]]]]]]]]]")
                                  << QByteArray("it is nested more than 8 levels deep");
        QTest::newRow("a million levels")
            << QByteArray(1'000'000, '[') << QByteArray("it is nested more than 8 levels deep");
        QTest::newRow("large") << QByteArray((1 << 20) + 1, '1')
                               << QByteArray("it has more than 1048576 bytes");
    }
    void whatIsRefused() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, problem);
        const auto read = parseJson(text.toStdString());
        QVERIFY(!read);
        QVERIFY2(QByteArray::fromStdString(read.error().message).startsWith(problem),
                 read.error().message.c_str());
    }

    void eightLevelsAndANameInTwoObjectsAreFine() {
        QVERIFY(parseJson("[[[[[[[[1]]]]]]]]"));
        QVERIFY(parseJson(R"([{"a": {"a": 1}}, {"a": 1}])"));
    }

    void tooManyValuesAreRefused() {
        std::string text = "[0";
        for (int i = 0; i < 2'000'000; ++i)
            text += ",0";
        const auto read = parseJson(text + "]", 10'000'000);
        QVERIFY(!read);
        QCOMPARE(read.error().message, std::string("it has more than 2000000 values"));
    }

    void whatJsonCannotHoldIsReplaced() {
        QCOMPARE(Json("a\xff").text(), std::string("\"a\xEF\xBF\xBD\""));
        QCOMPARE(Json(std::numeric_limits<double>::quiet_NaN()).text(), std::string("null"));
        QVERIFY(fitsJson("\xC3\xBC \"\n"));
        QVERIFY(!fitsJson("a\xff"));
    }

    void theFirstFieldThatIsWrongIsTold() {
        const Json value = parsed(R"({"step": "3", "epoch": 1, "more": 0})");
        int step = 7;
        int epoch = 0;
        int seed = 5;
        JsonFields fields(value);
        fields.readIfThere("epoch", epoch);
        fields.readIfThere("seed", seed);
        QVERIFY(fields.checked());
        QCOMPARE(epoch, 1);
        QCOMPARE(seed, 5);
        fields.read("step", step);
        fields.read("seed", seed);
        QCOMPARE(fields.checked().error().message,
                 std::string("\"step\" is of another type than it should be"));
        QCOMPARE(step, 7);
    }

    void whatIsMissingOrUnknownIsTold() {
        const Json value = parsed(R"({"step": 3, "more": 0})");
        int step = 0;
        int epoch = 0;
        JsonFields strict(value);
        strict.read("step", step);
        QVERIFY(strict.checked());
        strict.refuseOthers();
        QCOMPARE(strict.checked().error().message,
                 std::string("it holds a key that this version does not know"));
        JsonFields fields(value);
        fields.read("epoch", epoch);
        QCOMPARE(fields.checked().error().message, std::string("\"epoch\" is missing"));
        const Json list = parsed("[]");
        QCOMPARE(JsonFields(list).checked().error().message,
                 std::string("it is not a JSON object"));
    }
};

QTEST_APPLESS_MAIN(JsonTest)
#include "tst_json.moc"
