// SPDX-License-Identifier: Apache-2.0
//
// Values share memory: nothing may be read once another value has been written over it.
#include <QtTest>
#include <cmath>
#include <limits>

#include "core/base/check.h"
#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "tests/support/graph_sketch.h"
#include "tests/support/program_case.h"
#include "tests/support/random_graph.h"

using namespace lockstep;
using namespace lockstep::testing;
using program::Action;
using program::Instruction;
using program::Program;
using program::Value;
using program::ValueId;

namespace {

constexpr std::uint64_t kGraphs = 400;
constexpr ValueId kNobody = -1;

/// An arena whose floats know the value that was last written to them.
class TaggedArena {
public:
    explicit TaggedArena(const Program& program)
        : program_(program), tags_(static_cast<std::size_t>(program.arenaFloats), kNobody) {}

    /// Plays a step with the largest batch; the first mistake in words, or nothing.
    std::string play() {
        std::string wrong;
        for (const Instruction& instruction : program_.forward)
            if (wrong.empty()) wrong = run(instruction);
        if (wrong.empty() && !holds(program_.output)) wrong = "the output is lost";
        if (program_.mode == Program::Mode::Evaluation || !wrong.empty()) return wrong;
        // The loss reads the output and writes its gradient.
        wrong = write(program_.outputGradient);
        if (wrong.empty() && !holds(program_.output)) wrong = "the loss overwrites the output";
        for (const Instruction& instruction : program_.backward)
            if (wrong.empty()) wrong = run(instruction);
        return wrong;
    }

private:
    [[nodiscard]] const Value& value(ValueId id) const {
        return program_.values[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] std::span<ValueId> place(ValueId id) {
        return std::span(tags_).subspan(
            static_cast<std::size_t>(value(id).offset),
            static_cast<std::size_t>(value(id).size(program_.maxBatch)));
    }
    /// The input is the caller's.
    [[nodiscard]] bool holds(ValueId id) {
        return id == 0 || std::ranges::all_of(place(id), [id](ValueId tag) { return tag == id; });
    }
    [[nodiscard]] bool overlap(ValueId a, ValueId b) const {
        if (a == 0 || b == 0) return false;
        return value(a).offset < value(b).offset + value(b).size(program_.maxBatch) &&
               value(b).offset < value(a).offset + value(a).size(program_.maxBatch);
    }

    std::string write(ValueId id) {
        const std::string name = "v" + std::to_string(id);
        if (id == 0) return "the input is written";
        if (value(id).offset < 0 ||
            value(id).offset + value(id).size(program_.maxBatch) > program_.arenaFloats)
            return name + " lies beyond the arena";
        if (value(id).offset % 16 != 0) return name + " does not begin on a cache line";
        std::ranges::fill(place(id), id);
        return "";
    }

    /// What is written may lie where something is read only where that was agreed: all of the first
    /// in the place of all of the first.
    [[nodiscard]] std::string checkOverlaps(const Instruction& instruction) const {
        for (std::size_t w = 0; w < instruction.writes.size(); ++w)
            for (std::size_t r = 0; r < instruction.reads.size(); ++r) {
                const ValueId written = instruction.writes[w];
                const ValueId read = instruction.reads[r];
                if (written < 0 || read < 0 || !overlap(written, read)) continue;
                const bool isSame = value(written).offset == value(read).offset &&
                                    value(written).perSample == value(read).perSample &&
                                    value(written).perBatch == value(read).perBatch;
                const bool isFirst = w == 0 && read == instruction.reads[0];
                if (!instruction.overwrites || !isFirst || !isSame)
                    return "v" + std::to_string(written) + " is written over v" +
                           std::to_string(read) + ", which the same instruction reads";
            }
        return "";
    }

    std::string run(const Instruction& instruction) {
        for (const ValueId id : instruction.reads)
            if (id >= 0 && !holds(id)) return "v" + std::to_string(id) + " is read when it is lost";
        std::string wrong = checkOverlaps(instruction);
        if (instruction.action == Action::SumAcrossReplicas &&
            value(instruction.reads[0]).offset != value(instruction.writes[0]).offset)
            wrong = "a sum over replicas is not in place";
        for (const ValueId id : instruction.writes)
            if (id >= 0 && wrong.empty()) wrong = write(id);
        // Two results of one instruction do not meet.
        for (const ValueId id : instruction.writes)
            if (id >= 0 && wrong.empty() && !holds(id))
                wrong = "v" + std::to_string(id) + " is lost where it is written";
        return wrong;
    }

    const Program& program_;
    std::vector<ValueId> tags_;
};

/// The program with a place for each value alone, nothing shared but by sums over replicas, which
/// are done in place.
Program unshared(Program program) {
    std::int64_t end = 0;
    for (Value& value : program.values) {
        value.offset = end;
        end += (value.size(program.maxBatch) + 15) / 16 * 16;
    }
    for (const auto* instructions : {&program.forward, &program.backward})
        for (const Instruction& instruction : *instructions)
            if (instruction.action == Action::SumAcrossReplicas)
                program.values[static_cast<std::size_t>(instruction.writes[0])].offset =
                    program.values[static_cast<std::size_t>(instruction.reads[0])].offset;
    program.arenaFloats = end;
    return program;
}

/// The processor, with memory in which every float is NaN at first.
class PoisonedDevice final : public tensor::Device {
public:
    [[nodiscard]] std::string name() const override { return device_->name(); }
    [[nodiscard]] Result<tensor::Buffer> allocate(std::size_t bytes) override {
        auto buffer = device_->allocate(bytes);
        if (buffer) std::ranges::fill(buffer->as<float>(), std::numeric_limits<float>::quiet_NaN());
        return buffer;
    }

private:
    std::unique_ptr<tensor::Device> device_ = tensor::openCpuDevice();
};

/// What a training step gives: output, statistics, gradients, one behind the other.
std::vector<float> stepOf(tensor::Device& device, Program program, const ProgramCase& drawn,
                          std::int64_t rows) {
    const auto executor = program::CpuExecutor::make(device, std::move(program)).value();
    program::NoReplicaSum alone;
    std::vector<float> statistics = drawn.values.statistics;
    std::vector<float> gradients(drawn.values.parameters.size());
    program::StepBatch batch = drawn.batch();
    batch.rows = rows;
    batch.samples = batch.samples.first(
        static_cast<std::size_t>(rows * model::elementCount(drawn.graph.input)));
    const auto output =
        executor->forward(batch, drawn.values.parameters, statistics, alone).value();
    std::vector<float> all(output.begin(), output.end());
    std::ranges::copy(std::span(drawn.coefficients).first(output.size()),
                      executor->outputGradient().begin());
    LS_CHECK(executor->backward(drawn.values.parameters, gradients, alone, {}).has_value(),
             "nothing here fails");
    all.insert(all.end(), statistics.begin(), statistics.end());
    all.insert(all.end(), gradients.begin(), gradients.end());
    return all;
}

ProgramCase caseOf(model::Graph graph, std::int64_t rows, std::uint64_t seed) {
    ProgramCase drawn{.graph = std::move(graph), .rows = rows};
    drawn.values = drawValues(drawn.graph, seed);
    drawn.samples = drawSamples(drawn.graph, rows, seed);
    drawn.coefficients = drawNumbers(
        static_cast<std::size_t>(rows * model::elementCount(drawn.graph.output())), seed, 4);
    drawn.runSeed = seed;
    return drawn;
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The network of Keras' guide for MNIST, as the example job describes it.
model::Graph convolutionalNetwork() {
    GraphSketch sketch;
    int last = sketch.input({28, 28, 1});
    const model::Window pool{.size = {2, 2}, .strides = {2, 2}};
    for (const std::int64_t filters : {32, 64}) {
        last = sketch.convolution(last, filters, {.size = {3, 3}});
        last = sketch.activation(last, model::Function::Relu);
        last = sketch.pooling(last, model::Pooling::Kind::Maximum, pool);
    }
    last = sketch.dropout(sketch.flatten(last), 0.5F);
    sketch.dense(last, 10);
    return sketch.take();
}

}  // namespace

class MemoryPlanTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<tensor::Device> device_ = tensor::openCpuDevice();

private slots:
    void noInstructionReadsWhatAnotherHasOverwritten() {
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed)
            for (const auto mode : {Program::Mode::Training, Program::Mode::Evaluation}) {
                const Program program =
                    compile(makeRandomGraph(seed), 1 + static_cast<std::int64_t>(seed % 9), mode);
                const std::string wrong = TaggedArena(program).play();
                QVERIFY2(wrong.empty(), ("graph " + std::to_string(seed) + ": " + wrong).c_str());
            }
    }
    void twoValuesInOnePlaceAreFound() {
        // The test of the test: values that are moved into each other's place.
        int found = 0;
        int planted = 0;
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const Program program = compile(makeRandomGraph(seed), 4, Program::Mode::Training);
            for (std::size_t i = 1; i + 1 < program.values.size(); ++i) {
                if (program.values[i].size(4) == 0 || program.values[i + 1].size(4) == 0) continue;
                Program broken = program;
                broken.values[i].offset = broken.values[i + 1].offset;
                ++planted;
                if (!TaggedArena(broken).play().empty()) ++found;
            }
        }
        QVERIFY(planted > 200);
        QVERIFY(found * 2 > planted);
    }
    void anArenaIsNoLargerThanWithoutSharing() {
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed)
            for (const auto mode : {Program::Mode::Training, Program::Mode::Evaluation}) {
                const Program program = compile(makeRandomGraph(seed), 5, mode);
                QVERIFY(program.arenaFloats <= program.unsharedFloats);
            }
    }
    void theGuidesNetworkTakesMuchLessThanItsValues() {
        const auto graph = convolutionalNetwork();
        const Program training = compile(graph, 128, Program::Mode::Training);
        qInfo("training: %.1f of %.1f MiB", static_cast<double>(training.arenaFloats) / (1 << 18),
              static_cast<double>(training.unsharedFloats) / (1 << 18));
        QVERIFY(training.arenaFloats * 10 < training.unsharedFloats * 8);
        // Forward alone keeps what one layer reads and writes: the largest pair, 26 x 26 x 32 and
        // the 13 x 13 x 32 behind it, or the input's reader.
        const Program evaluation = compile(graph, 128, Program::Mode::Evaluation);
        qInfo("evaluation: %.1f of %.1f MiB",
              static_cast<double>(evaluation.arenaFloats) / (1 << 18),
              static_cast<double>(evaluation.unsharedFloats) / (1 << 18));
        QVERIFY(evaluation.arenaFloats <= std::int64_t{128} * (26 * 26 * 32 + 13 * 13 * 32));
        QCOMPARE(TaggedArena(training).play(), std::string());
        QCOMPARE(TaggedArena(evaluation).play(), std::string());
    }
    void aSharedArenaGivesTheBitsOfOneWithoutSharing() {
        // What kernels touch beyond what their instructions say would show here.
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto rows = 1 + static_cast<std::int64_t>(seed % 4);
            const auto drawn = caseOf(makeRandomGraph(seed), rows, seed);
            const Program program = compile(drawn.graph, rows, Program::Mode::Training);
            const bool isEqual = sameBits(stepOf(*device_, program, drawn, rows),
                                          stepOf(*device_, unshared(program), drawn, rows));
            QVERIFY2(isEqual, ("graph " + std::to_string(seed)).c_str());
        }
    }
    void nothingIsReadThatWasNotWritten() {
        PoisonedDevice poisoned;
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto rows = 1 + static_cast<std::int64_t>(seed % 4);
            const auto drawn = caseOf(makeRandomGraph(seed), rows, seed);
            const Program program = compile(drawn.graph, rows, Program::Mode::Training);
            const bool isEqual = sameBits(stepOf(*device_, program, drawn, rows),
                                          stepOf(poisoned, unshared(program), drawn, rows));
            QVERIFY2(isEqual, ("graph " + std::to_string(seed)).c_str());
        }
    }
    void aSmallBatchInALargeArenaGivesTheSameBits() {
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto drawn = caseOf(makeRandomGraph(seed), 3, seed);
            const auto step = [&](std::int64_t maxBatch) {
                return stepOf(*device_, compile(drawn.graph, maxBatch, Program::Mode::Training),
                              drawn, 3);
            };
            QVERIFY2(sameBits(step(3), step(20)), ("graph " + std::to_string(seed)).c_str());
        }
    }
    void aBatchWithoutRowsGivesGradientsOfZeroAndLeavesTheStatistics() {
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto drawn = caseOf(makeRandomGraph(seed), 3, seed);
            const auto all =
                stepOf(*device_, compile(drawn.graph, 3, Program::Mode::Training), drawn, 0);
            const auto& statistics = drawn.values.statistics;
            const auto text = "graph " + std::to_string(seed);
            QVERIFY2(std::equal(statistics.begin(), statistics.end(), all.begin()), text.c_str());
            QVERIFY2(std::all_of(all.begin() + static_cast<std::ptrdiff_t>(statistics.size()),
                                 all.end(), [](float gradient) { return gradient == 0; }),
                     text.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(MemoryPlanTest)
#include "tst_memory_plan.moc"
