// SPDX-License-Identifier: Apache-2.0
//
// Random small networks with random layouts, computed by the members of a mesh's group together,
// against a reference in float64 that knows nothing of meshes. LOCKSTEP_SEEDS plays more of them,
// LOCKSTEP_SEED one alone, and prints what its first member computes.
#include <QtTest>

#include "core/program/print.h"
#include "tests/support/graph_sketch.h"
#include "tests/support/program_case.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_layout.h"
#include "tests/support/split_executor.h"

using namespace lockstep;
using namespace lockstep::testing;
using program::Program;

namespace {

constexpr std::uint64_t kSeeds = 400;

std::size_t partsOf(const model::Graph& graph) {
    return static_cast<std::size_t>(
        std::ranges::count_if(graph.shards, [](const auto& shard) { return !shard.isWhole(); }));
}

}  // namespace

class MeshProgramsTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<tensor::Device> device_ = tensor::openCpuDevice();
    std::map<std::string, int> seen_;

    void count(const Program& part) {
        for (const auto& node : part.graph.nodes)
            if (const auto* exchange = std::get_if<model::MeshExchange>(&node.operation))
                ++seen_[std::to_string(static_cast<int>(exchange->kind))];
        for (const auto& tensor : part.graph.tensors)
            if (tensor.gatheredFrom >= 0) ++seen_["gathered"];
    }

    std::string check(const ProgramCase& drawn, std::uint64_t seed) {
        const auto members = static_cast<std::int64_t>(2 + seed % 2);
        const auto layout = drawLayout(drawn.graph, members, seed);
        SplitExecutor training(*device_, drawn.graph, layout, drawn.rows, Program::Mode::Training);
        count(training.partOf(0));
        seen_["parts"] += static_cast<int>(partsOf(training.partOf(0).graph));
        std::string wrong = checkTraining(drawn, training);
        if (wrong.empty()) wrong = training.problem();
        if (!wrong.empty()) return wrong + "\n" + program::toText(training.partOf(0));
        SplitExecutor evaluation(*device_, drawn.graph, layout, drawn.rows,
                                 Program::Mode::Evaluation);
        wrong = checkEvaluation(drawn, evaluation);
        return wrong.empty() ? evaluation.problem() : wrong;
    }

private slots:
    /// They travel in pieces of 1 MiB: sums of 600,000 numbers, and columns of 300,000.
    void largeValuesAreExchangedAsSmallOnes_data() {
        QTest::addColumn<QString>("along");
        for (const char* along : {"in", "out"})
            QTest::addRow("%s", along) << QString(along);
    }
    void largeValuesAreExchangedAsSmallOnes() {
        QFETCH(const QString, along);
        GraphSketch sketch;
        int last = sketch.dense(sketch.input({6}), 4);
        last = sketch.activation(sketch.dense(last, 6000), model::Function::Tanh);
        last = sketch.dense(last, 2);
        const auto drawn = drawCase(sketch.take(), 100, 3);
        QVERIFY(drawn.has_value());
        const auto layout =
            model::layOut(drawn->graph, {{"layers.1.weight", along.toStdString()}}, 2);
        QVERIFY(layout);
        SplitExecutor training(*device_, drawn->graph, *layout, drawn->rows,
                               Program::Mode::Training);
        const std::string wrong = checkTraining(*drawn, training);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(training.problem(), std::string());
        QVERIFY(training.sent() >= 100 * 3000);
    }

    void anyLayoutOfAnyNetworkComputesWhatOneMemberWould() {
        const bool isOne = qEnvironmentVariableIsSet("LOCKSTEP_SEED");
        const std::uint64_t first = isOne ? qgetenv("LOCKSTEP_SEED").toULongLong() : 1;
        const std::uint64_t many = qEnvironmentVariableIsSet("LOCKSTEP_SEEDS")
                                       ? qgetenv("LOCKSTEP_SEEDS").toULongLong()
                                       : kSeeds;
        for (std::uint64_t seed = first; seed < first + (isOne ? 1 : many); ++seed) {
            const auto drawn =
                drawCase(makeRandomGraph(seed), 1 + static_cast<std::int64_t>(seed % 4), seed);
            if (!drawn) continue;
            const std::string wrong = check(*drawn, seed);
            QVERIFY2(
                wrong.empty(),
                qPrintable(QString("seed %1: %2").arg(seed).arg(QString::fromStdString(wrong))));
        }
        if (isOne) return;
        for (const auto& [what, times] : seen_)
            qInfo("%s: %d", what.c_str(), times);
        for (const char* what : {"0", "1", "2", "3", "gathered"})
            QVERIFY2(seen_[what] >= 20, what);
    }
};

QTEST_GUILESS_MAIN(MeshProgramsTest)
#include "tst_mesh_programs.moc"
