// SPDX-License-Identifier: Apache-2.0
// Training loops of a program's own, over the replicas of one process and of several: this program
// starts itself as their members.
#include <QtTest>
#include <cmath>
#include <cstdio>
#include <set>
#include <thread>

#include "core/base/rng.h"
#include "core/distribution/devices.h"
#include "core/distribution/strategy.h"
#include "tests/core/distribution/member_group.h"

using namespace lockstep;
using namespace lockstep::distribution;
using lockstep::tests::Group;

namespace {

using Numbers = std::vector<double>;
constexpr std::size_t kSamples = 50;
constexpr std::size_t kBatch = 10;

/// Points of the line y = 3 x - 2, with noise.
std::vector<std::pair<double, double>> points() {
    CounterRng random(1);
    std::vector<std::pair<double, double>> all;
    for (std::size_t i = 0; i < kSamples; ++i) {
        const auto x = static_cast<double>(random.nextFloat(-1, 1));
        all.emplace_back(x, 3 * x - 2 + static_cast<double>(random.nextFloat(-0.1F, 0.1F)));
    }
    return all;
}

/// Slope and offset after 40 epochs of gradient descent.
Result<Numbers> fitLine(const Strategy& strategy) {
    const auto data = points();
    Numbers line{0, 0};
    for (int epoch = 0; epoch < 40; ++epoch)
        for (std::size_t first = 0; first < kSamples; first += kBatch) {
            const auto gradients = strategy.run([&](const ReplicaContext& context) {
                Numbers gradient{0, 0};
                const SampleShare mine = context.share(kBatch);
                for (std::size_t i = first + mine.begin; i < first + mine.end; ++i) {
                    const double error = line[0] * data[i].first + line[1] - data[i].second;
                    gradient[0] += 2 * error * data[i].first / kBatch;
                    gradient[1] += 2 * error / kBatch;
                }
                return gradient;
            });
            const auto sum = strategy.reduce(ReduceOp::Sum, gradients);
            if (!sum) return fail(sum.error());
            for (std::size_t i = 0; i < line.size(); ++i)
                line[i] -= 0.1 * (*sum)[i];
        }
    return line;
}

int report(const Result<Numbers>& line) {
    if (!line)
        std::printf("error: %s\n", line.error().message.c_str());
    else
        std::printf("line %.17g %.17g\n", (*line)[0], (*line)[1]);
    return 0;
}

int runMember(const QString& what) {
    const auto strategy = MultiWorkerMirroredStrategy::make();
    if (!strategy) return 9;
    int status = 0;
    if (what == "line") status = report(fitLine(**strategy));
    if (what == "uneven")
        status = report((*strategy)->reduce(ReduceOp::Sum, {Numbers(processId() == 1 ? 3U : 2U)}));
    if (what == "many") {
        // More than one message holds, each process its own.
        const auto sum = (*strategy)->reduce(ReduceOp::Mean, {Numbers(70'000, processId() + 1.0)});
        const bool isRight =
            sum && sum->size() == 70'000 && sum->front() == 1.5 && sum->back() == 1.5;
        std::printf("%s\n", isRight ? "line all" : "line none");
    }
    return shutdown() ? status : 8;
}

}  // namespace

class StrategyRunTest : public QObject {
    Q_OBJECT

    static QStringList linesOf(const QString& what, int processes) {
        Group group(processes, {what});
        for (int id = 0; id < processes; ++id)
            group.start(id);
        QStringList lines;
        for (int id = 0; id < processes; ++id) {
            const auto [status, output] = group.end(static_cast<std::size_t>(id));
            for (const QString& line : output.split('\n'))
                if (line.startsWith("line ") || line.startsWith("error: ")) lines << line;
            if (status != 0) lines << output;
        }
        return lines;
    }

private slots:
    void everyReplicaRunsAtTheSameTimeOnItsDevice() {
        QVERIFY(setCpuDeviceCount(4).has_value());
        const auto strategy = MirroredStrategy::make().value();
        std::atomic<int> there = 0;
        const auto contexts = strategy->run([&there](const ReplicaContext& context) {
            ++there;
            while (there.load() < 4)  // none would end, were they called one behind the other
                std::this_thread::yield();
            return context;
        });
        QCOMPARE(contexts.size(), std::size_t{4});
        for (int i = 0; i < 4; ++i) {
            const auto& context = contexts[static_cast<std::size_t>(i)];
            QCOMPARE(context.replica, i);
            QCOMPARE(context.localReplica, i);
            QCOMPARE(context.numReplicasInSync, 4);
            QCOMPARE(context.device, "cpu:" + std::to_string(i));
        }
    }

    void sharesOfABatchAreAllOfItOnce() {
        for (const std::size_t samples : {0U, 1U, 3U, 4U, 10U, 11U}) {
            std::size_t next = 0;
            for (int replica = 0; replica < 4; ++replica) {
                const ReplicaContext context{.replica = replica,
                                             .numReplicasInSync = 4,
                                             .localReplica = replica,
                                             .device = {}};
                const SampleShare share = context.share(samples);
                QCOMPARE(share.begin, next);
                QVERIFY(share.size() == samples / 4 || share.size() == samples / 4 + 1);
                next = share.end;
            }
            QCOMPARE(next, samples);
        }
    }

    void valuesAreAddedInOrderOfReplicas() {
        const auto strategy = MirroredStrategy::make().value();
        const std::vector<Numbers> values = {{1e17, 1}, {3, 2}, {-1e17, 3}, {5, 4}};
        // Another order would give 3 + 5 = 8.
        QCOMPARE(strategy->reduce(ReduceOp::Sum, values).value(),
                 (Numbers{1e17 + 3 - 1e17 + 5, 10}));
        QCOMPARE(strategy->reduce(ReduceOp::Mean, values).value().back(), 2.5);
        for (const auto& wrong : {std::vector<Numbers>{{1}, {2}}, {{1}, {1}, {1}, {1, 2}}, {}})
            QVERIFY(strategy->reduce(ReduceOp::Sum, wrong)
                        .error()
                        .message.starts_with("reduce(): process 0 brings values of another number "
                                             "or length"));
    }

    void aLoopOfOnesOwnFindsTheLineInWhicheverProcessesItsReplicasAre() {
        const QStringList both = linesOf("line", 2);
        QCOMPARE(both.size(), 2);
        QCOMPARE(both[1], both[0]);
        const QStringList numbers = both[0].split(' ');
        QVERIFY2(std::abs(numbers.value(1).toDouble() - 3) < 0.1, qPrintable(both[0]));
        QVERIFY2(std::abs(numbers.value(2).toDouble() + 2) < 0.1, qPrintable(both[0]));
        const auto strategy = MirroredStrategy::make({"cpu:0", "cpu:1"}).value();
        QCOMPARE(strategy->numReplicasInSync(), 2);
        const auto line = fitLine(*strategy);
        QVERIFY(line.has_value());
        QCOMPARE(QString("line %1 %2").arg((*line)[0], 0, 'g', 17).arg((*line)[1], 0, 'g', 17),
                 both[0]);
    }

    void processesThatBringUnequalLengthsAreToldAlike() {
        const QStringList lines = linesOf("uneven", 2);
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].startsWith("error: reduce(): process 1 brings values of another"),
                 qPrintable(lines[0]));
        QCOMPARE(lines[1], lines[0]);
    }

    void longValuesAreReducedWhole() {
        QCOMPARE(linesOf("many", 2), (QStringList{"line all", "line all"}));
    }
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == "--member") return runMember(arguments.value(2));
    StrategyRunTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_strategy_run.moc"
