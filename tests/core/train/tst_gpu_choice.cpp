// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/train/connection.h"
#include "core/train/evaluator_place.h"
#include "core/train/replica/gpu_choice.h"
#include "tests/core/train/small_job.h"

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
    void evaluatorsTakeTheLastGpusInTurnOrTheOneThatIsNamed() {
        QCOMPARE(gpuOfEvaluator("gpu", 0, 4).value(), 3);
        QCOMPARE(gpuOfEvaluator("gpu", 1, 4).value(), 2);
        QCOMPARE(gpuOfEvaluator("gpu", 5, 4).value(), 2);
        QCOMPARE(gpuOfEvaluator("gpu:1", 7, 4).value(), 1);
        const auto missing = gpuOfEvaluator("gpu:4", 0, 4);
        QVERIFY(!missing);
        QCOMPARE(missing.error().message,
                 std::string("evaluator.device is \"gpu:4\", but the evaluators' host has 4 GPUs"));
        QVERIFY(!gpuOfEvaluator("gpu", 0, 0));
    }
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

    void theRosterSaysWhoHasWhichGpuAndWhyOneHasNone() {
        wire::Welcome roster;
        for (const char* uuid : {"GPU-a", "GPU-b"}) {
            wire::Member& member = *roster.add_members();
            wire::Device* gpu = member.add_devices();
            gpu->set_type("gpu");
            gpu->set_local_id(3);
            gpu->set_uuid(uuid);
            member.add_devices()->set_type("cpu");
        }
        const auto cluster = clusterOf(DeviceKind::Auto, Transport::Auto);
        const auto both = decideGpus(cluster, roster);
        QVERIFY(both.has_value() && both->gpu && both->nccl);
        QCOMPARE(gpusOf(roster, 1), (std::vector<int>{3}));
        // The coordinator gives nobody a GPU where one process has none.
        for (wire::Member& member : *roster.mutable_members())
            member.mutable_devices()->DeleteSubrange(0, 1);
        roster.mutable_members(1)->set_without_gpus("no driver");
        const auto none = decideGpus(cluster, roster);
        QVERIFY(none.has_value() && !none->gpu);
        QCOMPARE(none->note, std::string("computing on the CPU: no driver"));
        QVERIFY(gpusOf(roster, 0).empty());
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
