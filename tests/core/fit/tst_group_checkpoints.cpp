// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a program's own tensors, by real processes: this program starts itself as their
// members.
#include <signal.h>
#include <unistd.h>

#include <QtTest>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "core/distribution/devices.h"
#include "core/distribution/initialize.h"
#include "core/fit/checkpoints.h"
#include "tests/core/distribution/member_group.h"
#include "tests/core/fit/square_table.h"

using namespace lockstep;
using namespace lockstep::distribution;
using namespace lockstep::fit;
using lockstep::tests::Group;
using lockstep::tests::kTableSize;
using lockstep::tests::squareTable;
namespace fs = std::filesystem;

namespace {

TensorLayout along(const char* rows, const char* columns) {
    const auto axis = [](const char* name) {
        return name == nullptr ? std::nullopt : std::optional<std::string>(name);
    };
    const int devices = static_cast<int>(listDevices("cpu")->size());
    const auto mesh = DeviceMesh::make({devices}, {"x"}, *listDevices("cpu"));
    return *TensorLayout::make({axis(rows), axis(columns)}, *mesh);
}

Tensor noRows() {
    return *Tensor::make(std::vector<float>{}, {0, kTableSize});
}

KeptTensors tensorsOf(std::int64_t step) {
    KeptTensors tensors;
    tensors.emplace("by rows", *distributeTensor(squareTable<float>(step), along("x", nullptr)));
    tensors.emplace("by columns",
                    *distributeTensor(squareTable<double>(step), along(nullptr, "x")));
    tensors.emplace("all have it", squareTable<std::int32_t>(step));
    tensors.emplace("one number", *Tensor::make(std::vector<std::int64_t>{step}, {}));
    tensors.emplace("no numbers", *Tensor::make(std::vector<float>{}, {0, 3}));
    tensors.emplace("no rows", *distributeTensor(noRows(), along(nullptr, "x")));
    return tensors;
}

int failed(const Error& error) {
    std::printf("error: %s\n", error.message.c_str());
    return 9;
}

int saveAll(Checkpoints& checkpoints) {
    for (const std::int64_t step : {10, 20, 30, 40})
        if (auto saved = checkpoints.save(step, tensorsOf(step)); !saved)
            return failed(saved.error());
    const auto steps = checkpoints.steps();
    return steps && *steps == std::vector<std::int64_t>{20, 30, 40} ? 0 : 8;
}

/// The other way round than they were saved, and whole.
int loadAll(const Checkpoints& checkpoints) {
    const auto found = checkpoints.loadNewest({{"by rows", along(nullptr, "x")},
                                               {"by columns", along("x", nullptr)},
                                               {"all have it", along("x", nullptr)}});
    if (!found) return failed(found.error());
    if (!*found) return std::printf("there is none\n"), 8;
    const auto step = (*found)->step;
    auto tensors = (*found)->tensors;
    for (const std::string& sentence : (*found)->passedOver)
        std::printf("passed over: %s\n", sentence.c_str());
    const auto rows = std::get<DistributedTensor>(tensors.at("by rows")).whole();
    const auto columns = std::get<DistributedTensor>(tensors.at("by columns")).whole();
    const auto all = std::get<DistributedTensor>(tensors.at("all have it")).whole();
    if (!rows || !columns || !all) return failed((rows ? columns : rows).error());
    if (!(*rows == squareTable<float>(step) && *columns == squareTable<double>(step) &&
          *all == squareTable<std::int32_t>(step)))
        return std::printf("other numbers\n"), 7;
    const auto expected = tensorsOf(step);
    for (const char* name : {"one number", "no numbers"})
        if (!(std::get<Tensor>(tensors.at(name)) == std::get<Tensor>(expected.at(name))))
            return std::printf("another %s\n", name), 7;
    if (!(std::get<Tensor>(tensors.at("no rows")) == noRows()))
        return std::printf("rows of nothing\n"), 7;
    std::printf("step %lld\n", static_cast<long long>(step));
    return 0;
}

/// A part that all devices hold, which process 1's have changed.
Result<DistributedTensor> drifted() {
    const auto layout = along(nullptr, nullptr);
    std::map<std::string, Tensor> parts;
    const auto devices = describeDevices("cpu");
    for (const DeviceInfo& device : *devices)
        if (device.processId == processId())
            parts.emplace(device.id, squareTable<float>(processId()));
    return DistributedTensor::ofParts(NumberType::Float32, {kTableSize, kTableSize}, layout, parts,
                                      "same");
}

/// Of several blocks, so that damage of a part is met by whoever reads that part alone; and one
/// that no two processes can share by an axis it has not.
KeptTensors largeOf(std::int64_t step) {
    const std::vector<float> values(std::size_t{512} * 1024, static_cast<float>(step));
    KeptTensors tensors;
    tensors.emplace("a",
                    *distributeTensor(*Tensor::make(values, {512, 1024}), along("x", nullptr)));
    tensors.emplace("b", Tensor::ofValues(std::vector<float>{1, 2, 3}));
    return tensors;
}

int act(const QString& what, Checkpoints& checkpoints) {
    if (what == "save") return saveAll(checkpoints);
    if (what == "load") return loadAll(checkpoints);
    if (what == "differ") {
        auto tensors = tensorsOf(50);
        if (processId() == 1) tensors.erase("one number");
        const auto saved = checkpoints.save(50, tensors);
        return saved ? 0 : failed(saved.error());
    }
    if (what == "mixed") {
        const auto saved = checkpoints.save(
            50, {{"w", *distributeTensor(squareTable<float>(processId()), along("x", nullptr))}});
        return saved ? 0 : failed(saved.error());
    }
    if (what == "drifted") {
        const auto saved = checkpoints.save(50, {{"w", *drifted()}});
        return saved ? 0 : failed(saved.error());
    }
    if (what == "save large") {
        for (const std::int64_t step : {30, 40})
            if (auto saved = checkpoints.save(step, largeOf(step)); !saved)
                return failed(saved.error());
        return 0;
    }
    if (what == "load large") {
        const auto found =
            checkpoints.loadNewest({{"a", along("x", nullptr)}, {"b", along("x", nullptr)}});
        return found ? 0 : failed(found.error());
    }
    if (what == "die") {
        if (processId() == 1) ::kill(::getpid(), SIGKILL);
        const auto saved = checkpoints.save(50, tensorsOf(50));
        failed(saved ? Error{ErrorCode::Internal, "it was saved"} : saved.error());
        std::fflush(stdout);
        std::exit(0);  // at once: also where the coordinator is, which has told the others by then
    }
    if (what == "no such") {
        const auto loaded = checkpoints.load(77);
        return loaded ? 0 : failed(loaded.error());
    }
    return 6;
}

int runMember(const QString& what, const QString& folder) {
    InitializeOptions options;
    options.heartbeatTimeoutSeconds = what == "die" ? 4 : 30;  // of a busy machine
    options.initializationTimeoutSeconds = 60;
    options.onFailure = [](const std::string&) {};  // the calls tell
    if (auto met = initialize(options); !met) return failed(met.error());
    QString own = folder;
    if (what == "blind" && processId() == 1) own += "-elsewhere";
    auto checkpoints = Checkpoints::open(own.toStdString(), {.timeoutSeconds = 60});
    const int status = checkpoints ? act(what, *checkpoints) : failed(checkpoints.error());
    std::ignore = shutdown();
    return status;
}

}  // namespace

class GroupCheckpointsTest : public QObject {
    Q_OBJECT

    QTemporaryDir root_;
    QString folder_;

    /// What each of the processes prints.
    QStringList together(const QString& what, int processes, int status = 0) {
        Group group(processes, {what, folder_});
        for (int id = 0; id < processes; ++id)
            group.start(id);
        QStringList printed;
        for (std::size_t member = 0; member < static_cast<std::size_t>(processes); ++member) {
            const auto [ended, output] = group.end(member);
            if (ended != status) printed.append(QString("status %1").arg(ended));
            printed.append(output.trimmed());
        }
        return printed;
    }
    void damage(int step) const {
        const fs::path shards =
            fs::path(folder_.toStdString()) / ("step-" + std::to_string(step)) / "model";
        const fs::path file = fs::directory_iterator(shards)->path();
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(-3, std::ios::end);
        stream.put('\x55');
    }

private slots:
    void init() {
        static int runs = 0;
        folder_ = root_.filePath(QString("checkpoints-%1").arg(++runs));
    }

    void whatFourHaveSavedAnyNumberLoads() {
        QCOMPARE(together("save", 4), (QStringList{"", "", "", ""}));
        const QDir shards(folder_ + "/step-40/model");
        QCOMPARE(shards.entryList(QDir::Files).size(), qsizetype{4});  // everybody has written
        for (const int processes : {2, 3, 8}) {
            QStringList expected;
            for (int i = 0; i < processes; ++i)
                expected.append("step 40");
            const QStringList printed = together("load", processes);
            QVERIFY2(printed == expected, qPrintable(printed.join('|')));
        }
        // Without a group a process is all there are.
        const auto alone = Checkpoints::open(folder_.toStdString());
        QVERIFY(alone.has_value());
        const auto loaded = alone->load(30);
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QVERIFY(std::get<Tensor>(loaded->at("by columns")) == squareTable<double>(30));
    }

    void whatOneAloneHasSavedSeveralLoad() {
        {
            auto alone = Checkpoints::open(folder_.toStdString());
            QVERIFY(alone.has_value());
            QVERIFY(!*alone->loadNewest());
            QVERIFY(alone->save(5, tensorsOf(5)).has_value());
        }
        QCOMPARE(together("load", 2), (QStringList{"step 5", "step 5"}));
    }

    void aDamagedOneIsPassedOverByAll() {
        QCOMPARE(together("save", 2), (QStringList{"", ""}));
        damage(40);
        const QStringList printed = together("load", 2);
        for (const QString& one : printed) {
            QVERIFY2(one.contains("does not match its checksum"), qPrintable(one));
            QVERIFY2(one.endsWith("step 30"), qPrintable(one));
        }
        for (const int step : {20, 30})
            damage(step);
        for (const QString& one : together("load", 2, 9))
            QVERIFY2(one.startsWith("error: none of the checkpoints in "), qPrintable(one));
    }

    void whoeverDiesMeanwhileLeavesTheFormerOnes() {
        QCOMPARE(together("save", 3), (QStringList{"", "", ""}));
        const QStringList printed = together("die", 3);
        QVERIFY2(printed.size() == 4 && printed[1] == "status -1", qPrintable(printed.join('|')));
        QVERIFY2(printed[0].startsWith("error: process 1 ("), qPrintable(printed[0]));
        QVERIFY2(printed[3].startsWith("error: process 1 ("), qPrintable(printed[3]));
        QCOMPARE(together("load", 2), (QStringList{"step 40", "step 40"}));
        QCOMPARE(QDir(folder_).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 (QStringList{"LATEST", "step-20", "step-30", "step-40"}));
    }

    void whatOneCannotDoIsToldToAll() {
        QCOMPARE(together("differ", 2, 9),
                 (QStringList{"error: process 1 saves other tensors than process 0",
                              "error: process 1 saves other tensors than process 0"}));
        const QStringList blind = together("blind", 2, 9);
        const QString sentence =
            "it does not see what process 0 writes to " + folder_ + "-elsewhere";
        QCOMPARE(blind, (QStringList{"error: process 1: " + sentence, "error: " + sentence}));
        QCOMPARE(together("no such", 2, 9).size(), qsizetype{2});
    }

    void tensorsOfDifferentStepsAreNotMixed() {
        QCOMPARE(together("mixed", 2, 9),
                 (QStringList{"error: process 1 saves other tensors than process 0",
                              "error: process 1 saves other tensors than process 0"}));
        const QString sentence =
            "error: process 1 has other numbers than process 0 in a part of w that both hold";
        QCOMPARE(together("drifted", 2, 9), (QStringList{sentence, sentence}));
        QVERIFY(!QDir(folder_ + "/step-50").exists());
    }

    void allGoTheSameWayOnWhateverEachOfThemMeets() {
        QCOMPARE(together("save large", 2), (QStringList{"", ""}));
        // In the rows of process 0, which it meets before the tensor that no process can cut.
        const fs::path shard = fs::path(folder_.toStdString()) / "step-40" / "model" /
                               "shard-00001-model-00001-of-00001.safetensors";
        {
            std::fstream stream(shard, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekp(600'000);
            stream.put('\x55');
        }
        QElapsedTimer timer;
        timer.start();
        const QStringList printed = together("load large", 2, 9);
        QVERIFY2(timer.elapsed() < 50'000, "nobody waited for another in vain");
        QCOMPARE(printed.size(), qsizetype{2});
        QVERIFY2(printed[0].contains("axes"), qPrintable(printed.join('|')));
        QCOMPARE(printed[1], QString(printed[0]).replace("error: ", "error: process 0: "));
    }
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == "--member") return runMember(arguments.value(2), arguments.value(3));
    GroupCheckpointsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_group_checkpoints.moc"
