// SPDX-License-Identifier: Apache-2.0
// Members of a mesh's row are warned of processors that may compute other bits.
#include <QtTest>

#include "core/train/replica/row_processors.h"

using namespace lockstep;

namespace {

constexpr const char* kSameGpu = "G";
const train::GpuChoice kOnProcessors;
const train::GpuChoice kByNccl{.gpu = true, .nccl = true, .note = {}};
const train::GpuChoice kSummedOnTheHost{.gpu = true, .nccl = false, .note = {}};

/// Processes of so many replicas, each with its processor's name.
wire::Welcome rosterOf(const std::vector<std::pair<int, const char*>>& processes) {
    wire::Welcome roster;
    for (const auto& [replicas, processor] : processes) {
        wire::Member& member = *roster.add_members();
        member.set_process_id(static_cast<std::uint32_t>(roster.members_size() - 1));
        member.set_host("host" + std::to_string(roster.members_size()));
        member.set_replicas(static_cast<std::uint32_t>(replicas));
        wire::Device& gpu = *member.add_devices();
        gpu.set_type("gpu");
        gpu.set_name(member.host());
        for (int i = 1; i < replicas; ++i) {
            wire::Device& more = *member.add_devices();
            more.set_type("gpu");
            more.set_name(i == 1 ? "G" : member.host());
        }
        wire::Device& cpu = *member.add_devices();
        cpu.set_type("cpu");
        cpu.set_name(processor);
    }
    return roster;
}

}  // namespace

class RowProcessorsTest : public QObject {
    Q_OBJECT
private slots:
    void theFirstRowOfUnlikeProcessorsIsNamed() {
        QCOMPARE(train::unlikeProcessors(rosterOf({{1, "A"}, {1, "A"}, {1, "A"}, {1, "B"}}), 2,
                                         kOnProcessors),
                 std::string("processes 2 and 3 share one network on unlike processors, A on host3 "
                             "and B on host4: what each computes for itself may differ in its last "
                             "bits, and a checkpoint that finds it so ends the run"));
        QVERIFY(!train::unlikeProcessors(rosterOf({{2, "A"}, {2, "B"}}), 4, kOnProcessors).empty());
    }
    /// Between rows whole weights are compared, and sums are everybody's.
    void rowsMayDifferFromEachOther() {
        QCOMPARE(train::unlikeProcessors(rosterOf({{2, "A"}, {2, "B"}}), 2, kOnProcessors),
                 std::string());
        QCOMPARE(train::unlikeProcessors(rosterOf({{1, "A"}, {1, "A"}, {1, "B"}, {1, "B"}}), 2,
                                         kOnProcessors),
                 std::string());
    }
    /// The processors beside them do not matter.
    void gpusAreComparedWhereTheyCompute() {
        const auto unlike = train::unlikeProcessors(rosterOf({{1, "A"}, {1, "A"}}), 2, kByNccl);
        QVERIFY2(unlike.find("host1 on host1 and host2 on host2") != std::string::npos,
                 unlike.c_str());
        QVERIFY(!train::unlikeProcessors(rosterOf({{2, "A"}}), 2, kByNccl).empty());
        QCOMPARE(train::unlikeProcessors(rosterOf({{1, "A"}, {1, "B"}}), 1, kByNccl),
                 std::string());
    }
    void whereTheHostComputesTooItsProcessorsAreComparedAsWell() {
        wire::Welcome roster = rosterOf({{1, "A"}, {1, "B"}});
        for (wire::Member& member : *roster.mutable_members())
            for (wire::Device& device : *member.mutable_devices())
                if (device.type() == "gpu") device.set_name(kSameGpu);
        QCOMPARE(train::unlikeProcessors(roster, 2, kByNccl), std::string());
        const auto unlike = train::unlikeProcessors(roster, 2, kSummedOnTheHost);
        QVERIFY2(unlike.find("A on host1 and B on host2") != std::string::npos, unlike.c_str());
        QVERIFY(
            !train::unlikeProcessors(rosterOf({{1, "A"}, {1, "A"}}), 2, kSummedOnTheHost).empty());
    }
    void aProcessorWithoutANameIsNoOther() {
        QCOMPARE(train::unlikeProcessors(rosterOf({{1, "A"}, {1, ""}}), 2, kOnProcessors),
                 std::string());
        QCOMPARE(train::unlikeProcessors(rosterOf({{1, ""}, {1, "A"}}), 2, kOnProcessors),
                 std::string());
    }
};

QTEST_GUILESS_MAIN(RowProcessorsTest)
#include "tst_row_processors.moc"
