// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <thread>

#include "core/train/connection.h"
#include "core/train/replica/gpu_choice.h"
#include "tests/core/train/small_job.h"
#include "tests/support/memory_store.h"

using namespace lockstep;
using namespace lockstep::train;

namespace {

ProcessGpus with(std::vector<std::string> uuids) {
    return {true, "", std::move(uuids)};
}
ProcessGpus without(std::string sentence) {
    return {false, std::move(sentence), {}};
}

config::ClusterSpec clusterOf(config::DeviceKind device, config::Transport transport) {
    config::ClusterSpec cluster;
    cluster.device = device;
    cluster.transport = transport;
    return cluster;
}

using config::DeviceKind;
using config::Transport;

}  // namespace

class GpuChoiceTest : public QObject {
    Q_OBJECT
private slots:
    void autoTakesGpusAndNcclWhereEachReplicaHasItsOwn() {
        const auto choice = decideGpus(clusterOf(DeviceKind::Auto, Transport::Auto),
                                       {with({"a", "b"}), with({"c", "d"})});
        QVERIFY(choice.has_value());
        QVERIFY(choice->gpu && choice->nccl);
        QCOMPARE(choice->note, std::string());
    }

    void oneProcessWithoutGpuPutsAllOnTheCpuAndSaysWhy() {
        const auto choice = decideGpus(clusterOf(DeviceKind::Auto, Transport::Auto),
                                       {with({"a"}), without("there is no driver")});
        QVERIFY(choice.has_value());
        QVERIFY(!choice->gpu && !choice->nccl);
        QCOMPARE(choice->note, std::string("computing on the CPU: there is no driver"));
    }

    void whoInsistsIsToldWhichProcessCannot() {
        const std::vector<ProcessGpus> all{with({"a"}), without("there is no driver")};
        const auto gpu = decideGpus(clusterOf(DeviceKind::Gpu, Transport::Auto), all);
        QVERIFY(!gpu.has_value());
        QCOMPARE(gpu.error().code, ErrorCode::BadInput);
        QCOMPARE(gpu.error().message,
                 std::string("cluster.device = \"gpu\": process 1: there is no driver"));
        const auto nccl = decideGpus(clusterOf(DeviceKind::Auto, Transport::Nccl), all);
        QVERIFY(!nccl.has_value());
        QCOMPARE(nccl.error().code, ErrorCode::BadInput);
        QVERIFY2(nccl.error().message.starts_with("cluster.transport = \"nccl\""),
                 nccl.error().message.c_str());
    }

    void aSharedGpuIsNamedAndSummedOnTheHost() {
        const std::vector<ProcessGpus> two{with({"GPU-x"}), with({"GPU-x"})};
        const auto automatic = decideGpus(clusterOf(DeviceKind::Gpu, Transport::Auto), two);
        QVERIFY(automatic.has_value());
        QVERIFY(automatic->gpu && !automatic->nccl);
        QVERIFY2(automatic->note.starts_with("processes 0 and 1 share the GPU GPU-x"),
                 automatic->note.c_str());
        const auto nccl = decideGpus(clusterOf(DeviceKind::Gpu, Transport::Nccl), two);
        QVERIFY(!nccl.has_value());
        QVERIFY2(nccl.error().remedy.find("gloo") != std::string::npos,
                 nccl.error().remedy.c_str());
        const auto gloo = decideGpus(clusterOf(DeviceKind::Gpu, Transport::Gloo), two);
        QVERIFY(gloo.has_value());
        QVERIFY(gloo->gpu && !gloo->nccl);
        QCOMPARE(gloo->note, std::string());
        const auto alone =
            decideGpus(clusterOf(DeviceKind::Auto, Transport::Auto), {with({"GPU-x", "GPU-x"})});
        QVERIFY(alone.has_value() && !alone->nccl);
        QVERIFY(alone->note.starts_with("two replicas of process 0 share"));
    }

    void replicasOfAHostTakeItsGpusInTurn() {
        collective::Topology topology;
        topology.processes = {{0, 2}, {1, 1}, {0, 3}};
        QCOMPARE(gpusOf(topology, 8), (std::vector<int>{0, 1}));
        topology.thisProcess = 2;
        QCOMPARE(gpusOf(topology, 8), (std::vector<int>{2, 3, 4}));
        QCOMPARE(gpusOf(topology, 2), (std::vector<int>{0, 1, 0}));
        topology.thisProcess = 1;
        QCOMPARE(gpusOf(topology, 8), (std::vector<int>{0}));
        QVERIFY(gpusOf(topology, 0).empty());
    }

    void whatIsBeyondWholeStepsIsSummedOnTheHost() {
        const std::string beyond = "training.clipnorm is 1";
        const auto choice =
            decideGpus(clusterOf(DeviceKind::Auto, Transport::Auto), {with({"GPU-a"})}, beyond);
        QVERIFY(choice.has_value() && choice->gpu && !choice->nccl);
        QVERIFY2(choice->note.ends_with(beyond), choice->note.c_str());
        const auto nccl =
            decideGpus(clusterOf(DeviceKind::Auto, Transport::Nccl), {with({"GPU-a"})}, beyond);
        QVERIFY(!nccl.has_value());
        QVERIFY2(nccl.error().message.find(beyond) != std::string::npos,
                 nccl.error().message.c_str());
    }

    void allProcessesComeToTheSameAnswer() {
        tests::MemoryStore store;
        collective::Topology topology;
        topology.processes = {{0, 1}, {0, 1}, {1, 1}};
        tensor::GpuSupport good;
        good.state = tensor::GpuState::Usable;
        good.devices.resize(2);
        good.devices[0].uuid = "GPU-a";
        good.devices[1].uuid = "GPU-b";
        tensor::GpuSupport bad;
        bad.sentence = "no driver\nhere";
        std::vector<Result<GpuChoice>> answers(3, fail(ErrorCode::Internal, "did not run"));
        {
            std::vector<std::jthread> threads;
            for (int process = 0; process < 3; ++process)
                threads.emplace_back([&, process, mine = topology]() mutable {
                    mine.thisProcess = process;
                    answers[static_cast<std::size_t>(process)] = agreeOnGpus(
                        clusterOf(DeviceKind::Auto, Transport::Auto), mine,
                        process == 2 ? bad : good, store, "job/0", std::chrono::seconds(20));
                });
        }
        for (const auto& answer : answers) {
            QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
            QVERIFY(!answer->gpu);
            QVERIFY2(answer->note.starts_with("computing on the CPU: no driver"),
                     answer->note.c_str());
        }
    }

    void aProcessThatSaysNothingIsNamed() {
        tests::MemoryStore store;
        collective::Topology topology;
        topology.processes = {{0, 1}, {0, 1}};
        const auto answer = agreeOnGpus(clusterOf(DeviceKind::Auto, Transport::Auto), topology, {},
                                        store, "job/0", Millis(50));
        QVERIFY(!answer.has_value());
        QVERIFY2(answer.error().message.starts_with("waiting for process 1's GPUs"),
                 answer.error().message.c_str());
    }

    void aJobOnTheCpuLooksForNothing() {
        tests::SmallJob small(tests::smallSpec({16}), tests::smallDigits(100, 0, 10));
        small.job.cluster = clusterOf(DeviceKind::Cpu, Transport::Auto);
        const auto support = findGpus(small.job);
        QVERIFY(support.has_value());
        QCOMPARE(support->sentence, std::string());
    }
};

QTEST_GUILESS_MAIN(GpuChoiceTest)
#include "tst_gpu_choice.moc"
