// SPDX-License-Identifier: Apache-2.0
//
// The random networks of tst_random_programs on an emulated GPU (tests/support/cuda_emulation),
// against the reference in float64; gpu_programs plays them on the machine's own.
// LOCKSTEP_SEEDS=2000 plays more of them, LOCKSTEP_SEED one alone.
#include <dlfcn.h>

#include <QtTest>

#include "tests/core/model/model_text.h"
#include "tests/support/gpu_programs.h"

using namespace lockstep::testing;

namespace {

constexpr std::uint64_t kSeeds = 200;
/// From so many on everything has to occur often.
constexpr std::uint64_t kCampaign = 2000;
constexpr int kLeastOften = 20;

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
