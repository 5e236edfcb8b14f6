// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a program's own tensors where a process is all there are.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/distribution/devices.h"
#include "core/fit/checkpoints.h"
#include "tests/core/fit/square_table.h"
#include "tests/support/bytes_read.h"
#include "tests/support/counted_allocations.h"

using namespace lockstep;
using namespace lockstep::distribution;
using namespace lockstep::fit;
using lockstep::tests::kTableSize;
using lockstep::tests::squareTable;
namespace fs = std::filesystem;

namespace {

TensorLayout byRows() {
    const auto mesh = DeviceMesh::make({static_cast<int>(listDevices("cpu")->size())}, {"x"},
                                       *listDevices("cpu"));
    return *TensorLayout::make({"x"}, *mesh);
}

}  // namespace

class ProgramCheckpointsTest : public QObject {
    Q_OBJECT

    QTemporaryDir root_;
    QString folder_;

    [[nodiscard]] std::string folder() const { return folder_.toStdString(); }
    void damage(int step) const {
        const fs::path shards = fs::path(folder()) / ("step-" + std::to_string(step)) / "model";
        std::fstream stream(fs::directory_iterator(shards)->path(),
                            std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(-3, std::ios::end);
        stream.put('\x55');
    }

private slots:
    void init() {
        static int runs = 0;
        folder_ = root_.filePath(QString("checkpoints-%1").arg(++runs));
    }

    void theNewestIsWhatWasSavedLast() {
        {
            auto alone = Checkpoints::open(folder(), {.keep = 3});
            for (const std::int64_t step : {20, 30, 40, 25})
                QVERIFY(alone->save(step, {{"w", squareTable<float>(step)}}).has_value());
            QCOMPARE((*alone->loadNewest())->step, std::int64_t{25});
            QCOMPARE(*alone->steps(), (std::vector<std::int64_t>{20, 25, 40}));
        }
        auto alone = Checkpoints::open(folder(), {.keep = 2});
        QVERIFY(alone->save(26, {{"w", squareTable<float>(26)}}).has_value());
        QCOMPARE(*alone->steps(), (std::vector<std::int64_t>{25, 26}));
        damage(26);
        QCOMPARE((*alone->loadNewest())->step, std::int64_t{25});
    }

    void savingReadsNothingBack() {
        auto alone = Checkpoints::open(folder(), {.keep = 1});
        const KeptTensors tensors{{"w", Tensor::ofValues(std::vector<float>(500'000))}};
        QVERIFY(alone->save(1, tensors).has_value());
        const std::uint64_t before = lockstep::tests::bytesRead();
        QVERIFY(alone->save(2, tensors).has_value());
        QVERIFY2(lockstep::tests::bytesRead() - before < 200'000, "a tenth of its 2 MiB");
        QCOMPARE(*alone->steps(), std::vector<std::int64_t>{2});
    }

    void aTensorOfNoNumbersTakesNoMemoryHoweverLargeItsOtherSizes() {
        auto alone = Checkpoints::open(folder());
        const auto vast = *Tensor::make(std::vector<std::uint8_t>{},
                                        {std::uint64_t{1} << 32, std::uint64_t{1} << 31, 0});
        QVERIFY(alone->save(1, {{"w", vast}}).has_value());
        const auto loaded = alone->load(1);
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QVERIFY(std::get<Tensor>(loaded->at("w")) == vast);
    }

    /// Of a large checkpoint it is long: here by blocks of one byte.
    void theManifestIsWrittenDownOnceAndNotForEachTensor() {
        auto alone = Checkpoints::open(folder());
        KeptTensors tensors;
        TensorLayouts layouts;
        for (int i = 0; i < 200; ++i) {
            const std::string name = "t" + std::to_string(i);
            tensors.emplace(name, Tensor::ofValues(std::vector<float>{1, 2, 3, 4}));
            layouts.emplace(name, byRows());
        }
        QVERIFY(alone->save(1, tensors).has_value());
        const fs::path step = fs::path(folder()) / "step-1";
        {
            const auto store = *checkpoint::CheckpointStore::open(
                folder(), checkpoint::CheckpointStore::Access::Read);
            auto manifest = *checkpoint::readManifest(store.lease(1)->folder(), 1);
            auto& [name, record] = *manifest.files.begin();
            QVERIFY(name.starts_with("model/"));
            const std::string file = *readFile(step / name, 1 << 20);
            record.blockBytes = 1;
            record.blocks.clear();
            for (const char byte : file)
                record.blocks.push_back(contentHash(std::string_view(&byte, 1)));
            fs::remove(step / "manifest.json");
            const std::string text = checkpoint::encodeManifest(manifest);
            QVERIFY(writeNewFileDurably(step / "manifest.json",
                                        std::as_bytes(std::span(text.data(), text.size()))));
        }
        const std::int64_t before = lockstep::tests::allocations;
        const auto loaded = alone->load(1, layouts);
        const std::int64_t taken = lockstep::tests::allocations - before;
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QVERIFY2(taken < 1'000'000, qPrintable(QString::number(taken)));
    }

    void partsThatAreNotOfTheLayoutAreRefused() {
        const auto mesh = DeviceMesh::make({1}, {"x"}, *listDevices("cpu"));
        QVERIFY2(mesh.has_value(), "a process alone has one device");
        const auto layout = *TensorLayout::make({"x"}, *mesh);
        const std::string device = mesh->devices().front();
        const auto made = [&](std::map<std::string, Tensor> parts) {
            const auto tensor = DistributedTensor::ofParts(
                NumberType::Float32, {kTableSize, kTableSize}, layout, std::move(parts), "w");
            return tensor ? std::string() : tensor.error().message;
        };
        QCOMPARE(made({{device, squareTable<float>(1)}}), std::string());
        QCOMPARE(made({}), "the part of " + device + " is missing");
        QCOMPARE(
            made({{device, squareTable<float>(1).row(0)}}),
            "the part of " + device + " is 24 of float32; the layout makes it 24 x 24 of float32");
        QCOMPARE(made({{device, squareTable<double>(1)}}),
                 "the part of " + device +
                     " is 24 x 24 of float64; the layout makes it 24 x 24 of float32");
        QCOMPARE(made({{device, squareTable<float>(1)}, {"cpu:7", squareTable<float>(1)}}),
                 std::string("a part of cpu:7, which is none of this process's devices of the "
                             "layout's mesh"));
    }

    void oddArgumentsAreRefused() {
        QCOMPARE(Checkpoints::open(folder(), {.keep = 0}).error().message,
                 std::string("at least one checkpoint is kept, not 0"));
        auto alone = Checkpoints::open(folder());
        QCOMPARE(alone->save(-1, {}).error().message,
                 std::string("a checkpoint's step is 0 or more, not -1"));
        QVERIFY(!alone->save(1, {{"", squareTable<float>(0)}}));
        const std::vector<std::uint64_t> nine(9, 1);
        const auto deep = alone->save(1, {{"t", *Tensor::make(std::vector<float>{1}, nine)}});
        QCOMPARE(deep.error().code, ErrorCode::BadInput);
        QVERIFY(deep.error().message.ends_with("tensor t has 9 dimensions; a file takes up to 8"));
        QCOMPARE(QDir(folder_).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList());
        QVERIFY(alone->save(1, {{"w", squareTable<float>(0)}}).has_value());
        const auto mesh = DeviceMesh::make({1}, {"x"}, std::vector<std::string>{"cpu:0"});
        const auto layout = TensorLayout::make({"x"}, *mesh);
        QCOMPARE(alone->load(1, {{"v", *layout}}).error().message,
                 std::string("the checkpoint has no tensor v; it has w"));
        QCOMPARE(Checkpoints::open(folder()).error().code, ErrorCode::Unavailable);
    }
};

QTEST_GUILESS_MAIN(ProgramCheckpointsTest)
#include "tst_program_checkpoints.moc"
