// SPDX-License-Identifier: Apache-2.0
//
// Random small networks, compiled and run, against a reference in float64 that knows nothing of
// programs. LOCKSTEP_SEEDS=10000 plays more of them, LOCKSTEP_SEED plays one alone and prints the
// program of the fewest of its nodes that already go wrong.
#include <QtTest>

#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/program/print.h"
#include "tests/support/program_case.h"
#include "tests/support/program_counts.h"
#include "tests/support/random_graph.h"

using namespace lockstep;
using namespace lockstep::testing;
using program::Program;

namespace {

constexpr std::uint64_t kSeeds = 2000;
constexpr int kLeastOften = 20;

/// Batches of one row are among them, and programs with room for more than the batch.
std::int64_t rowsOf(std::uint64_t seed) {
    return 1 + static_cast<std::int64_t>(seed % 5);
}
std::int64_t maxBatchOf(std::uint64_t seed) {
    return rowsOf(seed) + static_cast<std::int64_t>(seed / 5 % 3);
}

std::optional<ProgramCase> caseOf(std::uint64_t seed) {
    return drawCase(makeRandomGraph(seed), rowsOf(seed), seed);
}

std::unique_ptr<program::CpuExecutor> executorOf(tensor::Device& device, const model::Graph& graph,
                                                 std::uint64_t seed, Program::Mode mode) {
    return program::CpuExecutor::make(device, compile(graph, maxBatchOf(seed), mode)).value();
}

/// An executor with a defect: one gradient is too large.
class Faulty final : public program::Executor {
public:
    Faulty(program::Executor& right, std::size_t wrong, float factor)
        : right_(right), wrong_(wrong), factor_(factor) {}
    [[nodiscard]] const Program& program() const override { return right_.program(); }
    [[nodiscard]] Result<std::span<const float>> forward(const program::StepBatch& batch,
                                                         std::span<const float> parameters,
                                                         std::span<float> statistics,
                                                         program::ReplicaSum& sum) override {
        return right_.forward(batch, parameters, statistics, sum);
    }
    [[nodiscard]] std::span<float> outputGradient() override { return right_.outputGradient(); }
    [[nodiscard]] Result<void> backward(
        std::span<const float> parameters, std::span<float> gradients, program::ReplicaSum& sum,
        const std::function<void(std::size_t)>& onComplete) override {
        auto result = right_.backward(parameters, gradients, sum, onComplete);
        const auto size = static_cast<std::size_t>(program().graph.tensors[wrong_].size());
        for (float& gradient : gradients.subspan(program().layout.offsets[wrong_], size))
            gradient *= factor_;
        return result;
    }
    void timeInto(program::InstructionTimes* times) override { right_.timeInto(times); }

private:
    program::Executor& right_;
    std::size_t wrong_;
    float factor_;
};

}  // namespace

class RandomProgramsTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<tensor::Device> device_ = tensor::openCpuDevice();

    /// What is wrong with the programs of a graph.
    std::string check(const ProgramCase& drawn, std::uint64_t seed) {
        const auto training = executorOf(*device_, drawn.graph, seed, Program::Mode::Training);
        std::string wrong = checkTraining(drawn, *training);
        if (!wrong.empty()) return "training: " + wrong;
        const auto evaluation = executorOf(*device_, drawn.graph, seed, Program::Mode::Evaluation);
        wrong = checkEvaluation(drawn, *evaluation);
        return wrong.empty() ? "" : "evaluation: " + wrong;
    }
    std::string play(std::uint64_t seed, ProgramCounts& counts) {
        const auto drawn = caseOf(seed);
        if (!drawn) {
            counts.add("skipped");
            return "";
        }
        counts.addAll(compile(drawn->graph, maxBatchOf(seed), Program::Mode::Training));
        return check(*drawn, seed);
    }
    /// Narrows a seed's graph down.
    std::string replay(std::uint64_t seed) {
        const auto graph = makeRandomGraph(seed);
        for (std::size_t nodes = 2; nodes <= graph.nodes.size(); ++nodes) {
            const auto drawn = drawCase(firstNodesOf(graph, nodes), rowsOf(seed), seed);
            const std::string wrong = drawn ? check(*drawn, seed) : "";
            if (wrong.empty()) continue;
            const auto program = compile(drawn->graph, maxBatchOf(seed), Program::Mode::Training);
            qInfo("%d of %d nodes, %d rows\n%s", static_cast<int>(nodes),
                  static_cast<int>(graph.nodes.size()), static_cast<int>(rowsOf(seed)),
                  toText(program).c_str());
            for (const model::Node& node : drawn->graph.nodes)
                qInfo("%s %s", operationWord(node.operation), model::toString(node.shape).c_str());
            return wrong;
        }
        return "";
    }

private slots:
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
            const std::string wrong = play(seed, counts);
            QVERIFY2(wrong.empty(),
                     ("LOCKSTEP_SEED=" + std::to_string(seed) + ": " + wrong).c_str());
        }
        // Kinks too near to every draw are rare.
        QVERIFY(static_cast<std::uint64_t>(counts.of("skipped")) * 50 < end);
        const std::string seldom = counts.lessThan(kLeastOften);
        QVERIFY2(seldom.empty(), seldom.c_str());
    }

    void aGradientThatIsOneInAHundredTooLargeIsFound() {
        int found = 0;
        int planted = 0;
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            const auto drawn = caseOf(seed);
            if (!drawn) continue;
            const auto executor = executorOf(*device_, drawn->graph, seed, Program::Mode::Training);
            for (std::size_t i = 0; i < drawn->graph.tensors.size(); ++i) {
                const model::Tensor& tensor = drawn->graph.tensors[i];
                if (tensor.role != model::Tensor::Role::Parameter || !tensor.isTrainable) continue;
                Faulty faulty(*executor, i, 1.01F);
                ++planted;
                if (!checkTraining(*drawn, faulty).empty()) ++found;
            }
        }
        // The others are gradients of zero: of biases before a normalisation, behind dead units.
        qInfo("%d of %d found", found, planted);
        QVERIFY(planted > 100);
        QVERIFY(found * 10 > planted * 7);
    }
};

QTEST_GUILESS_MAIN(RandomProgramsTest)
#include "tst_random_programs.moc"
