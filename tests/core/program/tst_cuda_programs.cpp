// SPDX-License-Identifier: Apache-2.0
//
// The random networks of tst_random_programs on a GPU, against the reference in float64: an
// emulated GPU (tests/support/cuda_emulation), or with LOCKSTEP_REAL_GPU=1 the machine's own.
// LOCKSTEP_SEEDS=3000 plays more of them, LOCKSTEP_SEED one alone.
#include <dlfcn.h>

#include <QtTest>

#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/program/cuda_programs.h"
#include "tests/support/program_case.h"
#include "tests/support/program_counts.h"
#include "tests/support/random_graph.h"

using namespace lockstep;
using namespace lockstep::testing;
using program::Program;

namespace {

constexpr std::uint64_t kSeeds = 120;
/// From so many on everything has to occur, and often.
constexpr std::uint64_t kCampaign = 2000;
constexpr int kLeastOften = 20;

std::int64_t rowsOf(std::uint64_t seed) {
    return 1 + static_cast<std::int64_t>(seed % 5);
}
std::int64_t maxBatchOf(std::uint64_t seed) {
    return rowsOf(seed) + static_cast<std::int64_t>(seed / 5 % 3);
}

/// So little at some seeds that windows and weights are computed for parts of the batch.
std::size_t workBytesOf(std::uint64_t seed) {
    return seed % 2 == 0 ? std::size_t{1} << 20 : 1;
}

std::unique_ptr<program::Executor> executorOf(const model::Graph& graph, std::uint64_t seed,
                                              Program::Mode mode) {
    auto made =
        makeCudaExecutor(compile(graph, maxBatchOf(seed), mode), {.workBytes = workBytesOf(seed)});
    if (!made) qFatal("%s", made.error().message.c_str());
    return std::move(*made);
}

bool isOnRealGpu() {
    return qEnvironmentVariableIsSet("LOCKSTEP_REAL_GPU");
}

}  // namespace

class CudaProgramsTest : public QObject {
    Q_OBJECT
private:
    /// What is wrong with the programs of a graph.
    static std::string check(const ProgramCase& drawn, std::uint64_t seed) {
        const auto training = executorOf(drawn.graph, seed, Program::Mode::Training);
        std::string wrong = checkTraining(drawn, *training);
        if (!wrong.empty()) return "training: " + wrong;
        const auto evaluation = executorOf(drawn.graph, seed, Program::Mode::Evaluation);
        wrong = checkEvaluation(drawn, *evaluation);
        return wrong.empty() ? "" : "evaluation: " + wrong;
    }
    static std::string replay(std::uint64_t seed) {
        const auto graph = makeRandomGraph(seed);
        for (std::size_t nodes = 2; nodes <= graph.nodes.size(); ++nodes) {
            const auto drawn = drawCase(firstNodesOf(graph, nodes), rowsOf(seed), seed);
            const std::string wrong = drawn ? check(*drawn, seed) : "";
            if (wrong.empty()) continue;
            for (const model::Node& node : drawn->graph.nodes)
                qInfo("%s %s", operationWord(node.operation), model::toString(node.shape).c_str());
            return wrong;
        }
        return "";
    }

private slots:
    /// The libraries that stand for CUDA's, before the module asks for them by their names.
    void initTestCase() {
        if (isOnRealGpu()) return;
        for (const QString& library : QString(LOCKSTEP_EMULATED_CUDA).split(':'))
            QVERIFY2(dlopen(qPrintable(library), RTLD_NOW | RTLD_GLOBAL) != nullptr, dlerror());
    }

    void programsComputeWhatTheReferenceComputes() {
        if (qEnvironmentVariableIsSet("LOCKSTEP_SEED")) {
            const std::string wrong = replay(qEnvironmentVariable("LOCKSTEP_SEED").toULongLong());
            QVERIFY2(wrong.empty(), wrong.c_str());
            return;
        }
        const std::uint64_t more = qEnvironmentVariable("LOCKSTEP_SEEDS").toULongLong();
        const std::uint64_t end = more > 0 ? more : kSeeds;
        ProgramCounts counts;
        for (std::uint64_t seed = 0; seed < end; ++seed) {
            const auto drawn = drawCase(makeRandomGraph(seed), rowsOf(seed), seed);
            if (!drawn) continue;
            counts.addAll(compile(drawn->graph, maxBatchOf(seed), Program::Mode::Training));
            const std::string wrong = check(*drawn, seed);
            QVERIFY2(wrong.empty(),
                     ("LOCKSTEP_SEED=" + std::to_string(seed) + ": " + wrong).c_str());
        }
        const std::string seldom = counts.lessThan(end >= kCampaign ? kLeastOften : 1);
        QVERIFY2(seldom.empty(), seldom.c_str());
    }
};

QTEST_GUILESS_MAIN(CudaProgramsTest)
#include "tst_cuda_programs.moc"
