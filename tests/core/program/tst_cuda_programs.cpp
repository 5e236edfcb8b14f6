// SPDX-License-Identifier: Apache-2.0
//
// The random networks of tst_random_programs on an emulated GPU (tests/support/cuda_emulation),
// against the reference in float64; gpu_programs plays them on the machine's own.
// LOCKSTEP_SEEDS=2000 plays more of them, LOCKSTEP_SEED one alone.
#include <dlfcn.h>

#include <QtTest>

#include "core/program/cuda_programs.h"
#include "tests/core/model/model_text.h"
#include "tests/support/gpu_programs.h"
#include "tests/support/graph_sketch.h"
#include "tests/support/program_case.h"
#include "tests/support/split_executor.h"

using namespace lockstep;
using namespace lockstep::testing;

namespace {

constexpr std::uint64_t kSeeds = 200;
/// From so many on everything has to occur often.
constexpr std::uint64_t kCampaign = 2000;
constexpr int kLeastOften = 20;

/// Counts the numbers that a member brings.
class WatchedGroup final : public program::MeshGroup {
public:
    explicit WatchedGroup(program::MeshGroup& group) : group_(group) {}
    [[nodiscard]] Result<void> gather(std::span<const float> mine, std::span<float> all) override {
        most_ = std::max(most_, mine.size());
        all_ += mine.size();
        return group_.gather(mine, all);
    }
    [[nodiscard]] Result<void> deal(std::span<const float> mine, std::span<float> pieces) override {
        return group_.deal(mine, pieces);
    }
    [[nodiscard]] std::size_t most() const { return most_; }
    [[nodiscard]] std::size_t all() const { return all_; }

private:
    program::MeshGroup& group_;
    std::size_t most_ = 0;
    std::size_t all_ = 0;
};

}  // namespace

class CudaProgramsTest : public QObject {
    Q_OBJECT
private slots:
    /// The libraries that stand for CUDA's, before the module asks for them by their names.
    void initTestCase() {
        for (const QString& library : QString(LOCKSTEP_EMULATED_CUDA).split(':'))
            QVERIFY2(dlopen(qPrintable(library), RTLD_NOW | RTLD_GLOBAL) != nullptr, dlerror());
    }

    void programsComputeWhatTheReferenceComputes() {
        if (qEnvironmentVariableIsSet("LOCKSTEP_SEED")) {
            const std::string wrong =
                narrowDownOnGpu(qEnvironmentVariable("LOCKSTEP_SEED").toULongLong());
            QVERIFY2(wrong.empty(), wrong.c_str());
            return;
        }
        const std::uint64_t more = qEnvironmentVariable("LOCKSTEP_SEEDS").toULongLong();
        const std::uint64_t end = more > 0 ? more : kSeeds;
        ProgramCounts counts;
        for (std::uint64_t seed = 0; seed < end; ++seed) {
            const std::string wrong = playOnGpu(seed, counts);
            QVERIFY2(wrong.empty(),
                     ("LOCKSTEP_SEED=" + std::to_string(seed) + ": " + wrong).c_str());
        }
        const std::string seldom = counts.lessThan(end >= kCampaign ? kLeastOften : 1);
        QVERIFY2(seldom.empty(), seldom.c_str());
    }

    /// Every exchange, every gathered tensor, and parts of every operation.
    void membersOfAMeshComputeWhatTheReferenceComputes() {
        const bool isOne = qEnvironmentVariableIsSet("LOCKSTEP_SEED");
        const std::uint64_t first = isOne ? qgetenv("LOCKSTEP_SEED").toULongLong() : 0;
        const std::uint64_t more = qEnvironmentVariable("LOCKSTEP_SEEDS").toULongLong();
        const std::uint64_t end = isOne ? first + 1 : more > 0 ? more : kSeeds;
        for (std::uint64_t seed = first; seed < end; ++seed) {
            const std::string wrong = playMeshOnGpu(seed);
            QVERIFY2(wrong.empty(),
                     ("LOCKSTEP_SEED=" + std::to_string(seed) + ": " + wrong).c_str());
        }
    }

    /// Its parts have more than the numbers that travel at a time, which the scratch is for.
    void aLargeTensorIsGatheredInPieces_data() {
        QTest::addColumn<bool>("byRows");
        QTest::newRow("rows of it") << true;
        QTest::newRow("columns of it") << false;
    }
    void aLargeTensorIsGatheredInPieces() {
        QFETCH(const bool, byRows);
        constexpr std::int64_t kUnits = 1500;
        GraphSketch sketch;
        std::vector<model::LayoutRule> rules;
        if (byRows) {  // the bias is not where the weight's outputs are
            sketch.dense(sketch.dense(sketch.input({kUnits}), kUnits), 2);
            rules = {{"layers.0.weight", "out"}, {"layers.0.bias", "whole"}};
        } else {  // what positions are added to is whole
            sketch.positionEmbedding(sketch.input({2, 128}), 20'000);
            rules = {{"layers.0.weight", "features"}};
        }
        const auto drawn = drawCase(sketch.take(), 1, 3);
        QVERIFY(drawn.has_value());
        const auto layout = model::layOut(drawn->graph, rules, 2);
        QVERIFY2(layout.has_value(), layout ? "" : layout.error().message.c_str());
        std::vector<std::unique_ptr<WatchedGroup>> groups;
        SplitExecutor training(drawn->graph, *layout, 1, program::Program::Mode::Training,
                               [&](program::Program part, std::int64_t, program::MeshGroup& group) {
                                   groups.push_back(std::make_unique<WatchedGroup>(group));
                                   return program::makeCudaExecutor(std::move(part),
                                                                    {.group = groups.back().get()});
                               });
        const std::string wrong = checkTraining(*drawn, training);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(training.problem(), std::string());
        for (const auto& group : groups) {
            QVERIFY2(group->all() > std::size_t{1} << 20, "it is gathered");
            QVERIFY2(group->most() <= std::size_t{1} << 20,
                     qPrintable(QString::number(group->most())));
        }
    }

    /// Samples are the caller's, and lie outside the memory of what a program computes.
    void aNetworkMayGiveWhatItIsGiven() {
        GraphSketch sketch;
        sketch.input({3});
        const std::string wrong = playOnGpu(sketch.take());
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    /// A grid has at most 65,535 blocks in its second dimension.
    void aGroupMayHaveMoreWeightsThanAGridHasBlocks() {
        const std::string wrong = playOnGpu(lockstep::model::test::graphOf(
            R"({ type = "conv1d", filters = 2, kernel_size = 128, groups = 2 },)",
            {.input = {128, 1024}, .columns = {}}));
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
};

QTEST_GUILESS_MAIN(CudaProgramsTest)
#include "tst_cuda_programs.moc"
