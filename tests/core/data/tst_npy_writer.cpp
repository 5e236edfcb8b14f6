// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "core/data/arrays/npy_writer.h"

using namespace lockstep;
using namespace lockstep::data;

namespace {

NpyArray arrayOf(NpyType type, std::vector<std::uint64_t> shape) {
    NpyArray array{type, std::move(shape), {}};
    std::vector<std::uint8_t> bytes(array.elements() * bytesOf(type));
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(7 * i);
    array.bytes = std::move(bytes);
    return array;
}

}  // namespace

class NpyWriterTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    [[nodiscard]] std::filesystem::path path(const QString& name) const {
        return folder_.filePath(name).toStdString();
    }

private slots:
    void whatIsWrittenIsReadBack() {
        for (int type = 0; type <= static_cast<int>(NpyType::Float64); ++type)
            for (const std::vector<std::uint64_t>& shape :
                 {std::vector<std::uint64_t>{}, {3}, {2, 5}, {2, 1, 4}, {0, 3}}) {
                const NpyArray array = arrayOf(static_cast<NpyType>(type), shape);
                QVERIFY(writeNpy(path("array.npy"), array).has_value());
                const auto back = parseNpy(mapFile(path("array.npy")).value());
                QVERIFY2(back.has_value(), back ? "" : back.error().message.c_str());
                QVERIFY(back->type == array.type && back->shape == array.shape);
                QVERIFY(back->bytes == array.bytes);
            }
    }

    /// Bytes of numpy.save(file, numpy.zeros((2, 3), "float32")), NumPy 1.24.
    void theHeaderIsNumPys() {
        const std::string header = npyHeader(arrayOf(NpyType::Float32, {2, 3}));
        std::string expected("\x93NUMPY\x01\x00v\x00", 10);
        expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        expected += std::string(127 - expected.size(), ' ') + "\n";
        QCOMPARE(QByteArray::fromStdString(header), QByteArray::fromStdString(expected));
        QVERIFY(npyHeader(arrayOf(NpyType::UInt8, {4})).find("'|u1'") != std::string::npos);
        QVERIFY(npyHeader(arrayOf(NpyType::Int64, {4})).find("(4,)") != std::string::npos);
    }

    void whereNothingCanBeWrittenTheFileIsNamed() {
        const auto failed = writeNpy(path("none/array.npy"), arrayOf(NpyType::Float32, {2}));
        QVERIFY(!failed.has_value());
        QVERIFY(failed.error().message.find("none/array.npy") != std::string::npos);
        QVERIFY(writeNpy(path("kept.npy"), arrayOf(NpyType::Float32, {2})).has_value());
        QVERIFY(!std::filesystem::exists(path("kept.npy.partial")));
    }
};

QTEST_GUILESS_MAIN(NpyWriterTest)
#include "tst_npy_writer.moc"
