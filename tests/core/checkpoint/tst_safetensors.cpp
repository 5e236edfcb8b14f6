// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cstring>

#include "core/base/rng.h"
#include "core/checkpoint/safetensors.h"

using namespace lockstep;
using namespace lockstep::checkpoint;

namespace {

template <typename T>
std::string bytesOf(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::string fileOf(const std::string& header, const std::string& data) {
    const std::uint64_t length = header.size();
    std::string text(8, '\0');
    std::memcpy(text.data(), &length, 8);
    return text + header + data;
}

const std::string kWeight = bytesOf<float>({1.5F, -2, 0.25F, 3, 4, -0.5F});
const std::string kBias = bytesOf<float>({0.125F, 7});
const std::string kCount = bytesOf<std::int64_t>({3});
const std::string kMask = bytesOf<std::uint8_t>({1, 0, 1});
const std::string kScalar = bytesOf<float>({2});

std::vector<SafetensorView> fiveTensors() {
    return {{"layers.0.weight", DType::F32, {2, 3}, kWeight},
            {"layers.0.bias", DType::F32, {2}, kBias},
            {"mask", DType::U8, {3}, kMask},
            {"count", DType::I64, {1}, kCount},
            {"scalar", DType::F32, {}, kScalar}};
}

/// What Python's safetensors 0.5 (numpy) writes for these five with metadata {"format": "pt"}.
std::string goldenFile() {
    return fileOf(
        R"({"__metadata__":{"format":"pt"},"count":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
        R"("layers.0.bias":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
        R"("layers.0.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[16,40]},)"
        R"("scalar":{"dtype":"F32","shape":[],"data_offsets":[40,44]},)"
        R"("mask":{"dtype":"U8","shape":[3],"data_offsets":[44,47]}}  )",
        QByteArray::fromHex(
            "03000000000000000000003e0000e0400000c03f000000c00000803e0000404000008040"
            "000000bf00000040010001")
            .toStdString());
}

}  // namespace

class SafetensorsTest : public QObject {
    Q_OBJECT
private slots:
    void theBytesAreThoseOfTheReferenceWriter() {
        const auto text = encodeSafetensors(fiveTensors(), {{"format", "pt"}});
        QVERIFY(text.has_value());
        QCOMPARE(*text, goldenFile());
    }
    void theReferenceWritersFileIsRead() {
        const std::string text = goldenFile();
        const auto content = parseSafetensors(text);
        QVERIFY(content.has_value());
        QCOMPARE(content->metadata.at("format"), std::string("pt"));
        QCOMPARE(content->tensors.size(), std::size_t{5});
        QCOMPARE(content->tensors[0].name, std::string("count"));
        QCOMPARE(content->tensors[2].shape, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(content->tensors[2].bytes, std::string_view(kWeight));
        QVERIFY(content->tensors[3].shape.empty());
        QVERIFY(content->tensors[4].dtype == DType::U8);
    }
    void emptyTensorsAndNoTensorsAreAllowed() {
        const auto empty = encodeSafetensors({{"none", DType::F32, {0, 7}, {}}}, {});
        QCOMPARE(parseSafetensors(*empty)->tensors.at(0).shape, (std::vector<std::int64_t>{0, 7}));
        const auto nothing = encodeSafetensors({}, {});
        QVERIFY(parseSafetensors(*nothing)->tensors.empty());
    }
    void namesAreEscaped() {
        const auto text = encodeSafetensors({{"a\"b\\c\né", DType::U8, {3}, kMask}}, {});
        QVERIFY(text.has_value());
        QCOMPARE(parseSafetensors(*text)->tensors.at(0).name, std::string("a\"b\\c\né"));
    }
    void whatCannotBeWrittenIsRefused() {
        const auto refused = [](std::vector<SafetensorView> tensors) {
            return !encodeSafetensors(std::move(tensors), {});
        };
        QVERIFY(refused({{"a", DType::F32, {3}, kBias}}));
        QVERIFY(refused({{"a", DType::F32, {2}, kBias}, {"a", DType::U8, {3}, kMask}}));
        QVERIFY(refused({{"__metadata__", DType::F32, {2}, kBias}}));
        QVERIFY(refused({{"", DType::F32, {2}, kBias}}));
        QVERIFY(refused({{"\xff", DType::F32, {2}, kBias}}));
        QVERIFY(refused({{"a", DType::F32, {-2}, kBias}}));
    }
    void whatIsWrittenCanBeRead() {
        const auto nine =
            encodeSafetensors({{"t", DType::F32, {1, 1, 1, 1, 1, 1, 1, 1, 1}, kScalar}}, {});
        QCOMPARE(nine.error().code, ErrorCode::BadInput);
        QCOMPARE(nine.error().message,
                 std::string("tensor t has 9 dimensions; a file takes up to 8"));
        // A header that no reader would take, whatever is in it.
        const auto endless =
            encodeSafetensors({{std::string(100'000'000, 'n'), DType::F32, {}, kScalar}}, {});
        QCOMPARE(endless.error().code, ErrorCode::BadInput);
        CounterRng rng(12);
        int written = 0;
        for (int trial = 0; trial < 2000; ++trial) {
            std::vector<SafetensorView> tensors;
            for (std::uint32_t i = 0; i <= rng.nextBelow(3); ++i) {
                SafetensorView tensor{"t" + std::to_string(rng.nextBelow(8)), DType::U8, {}, {}};
                std::size_t count = 1;
                for (std::uint32_t axis = rng.nextBelow(11); axis > 0; --axis) {
                    tensor.shape.push_back(rng.nextBelow(8) == 0 ? 2 : 1);
                    count *= static_cast<std::size_t>(tensor.shape.back());
                }
                if (count > kWeight.size()) continue;
                tensor.bytes = std::string_view(kWeight).substr(0, count);
                tensors.push_back(tensor);
            }
            const auto text = encodeSafetensors(tensors, {{"format", "pt"}});
            if (!text) continue;
            ++written;
            QCOMPARE(parseSafetensors(*text)->tensors.size(), tensors.size());
        }
        QVERIFY2(written > 500 && written < 1900, qPrintable(QString::number(written)));
    }
    void anythingTheFormatDoesNotAllowIsRefused_data() {
        QTest::addColumn<QString>("header");
        QTest::addColumn<int>("dataBytes");
        const auto row = [](const char* name, const QString& header, int bytes) {
            QTest::newRow(name) << header << bytes;
        };
        const QString a = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
        row("trailing bytes", "{" + a + "}", 9);
        row("too few bytes", "{" + a + "}", 7);
        row("hole", "{" + a + R"(,"b":{"dtype":"U8","shape":[1],"data_offsets":[9,10]}})", 10);
        row("overlap", "{" + a + R"(,"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})", 8);
        row("hole at the start", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2);
        row("duplicate name", "{" + a + "," + a + "}", 8);
        row("duplicate key",
            R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1);
        row("shape against offsets", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
            8);
        row("overflowing shape",
            R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0);
        row("backward offsets", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", 1);
        row("negative size", R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1);
        row("fraction", R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", 1);
        row("beyond 64 bits",
            R"({"a":{"dtype":"U8","shape":[99999999999999999999],"data_offsets":[0,1]}})", 1);
        row("nine dimensions",
            R"({"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})", 1);
        row("unknown dtype", R"({"a":{"dtype":"Q7","shape":[1],"data_offsets":[0,1]}})", 1);
        row("missing dtype", R"({"a":{"shape":[1],"data_offsets":[0,1]}})", 1);
        row("unknown key", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}})", 1);
        row("three offsets", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}})", 1);
        row("metadata not text", R"({"__metadata__":{"a":1}})", 0);
        row("metadata not a map", R"({"__metadata__":[]})", 0);
        row("tensor not a map", R"({"a":1})", 0);
        row("an array", "[]", 0);
        row("a space before", " {}", 0);
        row("nothing", "", 0);
        row("garbage after", "{}x", 0);
        row("deep nesting", R"({"a":)" + QString(100'000, '[') + QString(100'000, ']') + "}", 0);
    }
    void anythingTheFormatDoesNotAllowIsRefused() {
        QFETCH(QString, header);
        QFETCH(int, dataBytes);
        const auto result = parseSafetensors(
            fileOf(header.toStdString(), std::string(static_cast<std::size_t>(dataBytes), '\0')));
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Corrupt);
        QVERIFY(!result.error().message.empty());
    }
    void aHeaderLongerThanTheFileOrTheLimitIsRefused() {
        std::string text = goldenFile();
        const std::uint64_t lengths[] = {text.size() - 7, 100'000'001, UINT64_MAX, UINT64_MAX - 7};
        for (const std::uint64_t length : lengths) {
            std::memcpy(text.data(), &length, 8);
            QVERIFY(!parseSafetensors(text));
        }
    }
    void everyTruncationIsRefused() {
        const std::string text = goldenFile();
        for (std::size_t length = 0; length < text.size(); ++length)
            QVERIFY(!parseSafetensors(std::string_view(text).substr(0, length)));
    }
    void randomDamageNeverDoesWorseThanAnError() {
        CounterRng rng(11);
        const std::string whole = goldenFile();
        int refused = 0;
        for (int trial = 0; trial < 20'000; ++trial) {
            std::string text = whole;
            for (std::uint32_t i = 0; i <= rng.nextBelow(4); ++i)
                text[rng.nextBelow(static_cast<std::uint32_t>(text.size()))] =
                    static_cast<char>(rng.nextU32());
            const auto content = parseSafetensors(text);
            if (!content) {
                ++refused;
                continue;
            }
            std::size_t bytes = 0;
            for (const SafetensorView& tensor : content->tensors)
                bytes += tensor.bytes.size();
            QCOMPARE(bytes, std::size_t{47});  // whatever the names became, all data are covered
        }
        QVERIFY(refused > 10'000);
    }
};

QTEST_GUILESS_MAIN(SafetensorsTest)
#include "tst_safetensors.moc"
