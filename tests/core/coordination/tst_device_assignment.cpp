// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <QtTest>

#include "core/coordination/state/device_assignment.h"
#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;

namespace {

wire::Register process(std::uint32_t replicas, const std::vector<std::string>& gpus,
                       wire::GpuClaim claim = wire::GPU_CLAIM_REPLICAS) {
    wire::Register facts;
    facts.set_replicas(replicas);
    facts.set_gpu_claim(claim);
    for (std::size_t id = 0; id < gpus.size(); ++id) {
        wire::Device* gpu = facts.add_devices();
        gpu->set_type("gpu");
        gpu->set_local_id(static_cast<std::uint32_t>(id));
        gpu->set_uuid(gpus[id]);
    }
    for (std::uint32_t id = 0; id < replicas; ++id) {
        wire::Device* cpu = facts.add_devices();
        cpu->set_type("cpu");
        cpu->set_local_id(id);
    }
    return facts;
}

/// "ab | c": the GPUs of every process.
std::string gpusOf(const std::vector<wire::Register>& processes) {
    std::vector<const wire::Register*> all;
    for (const wire::Register& facts : processes)
        all.push_back(&facts);
    std::vector<std::string> parts;
    for (const UsedDevices& devices : assignDevices(all)) {
        std::string& part = parts.emplace_back();
        for (const wire::Device& device : devices)
            if (device.type() == "gpu") part += device.uuid();
    }
    return fmt::format("{}", fmt::join(parts, " | "));
}

using Gpus = std::vector<std::string>;
const Gpus kFour{"a", "b", "c", "d"};

}  // namespace

class DeviceAssignmentTest : public QObject {
    Q_OBJECT
private slots:
    void processesThatSeeTheSameMachineTakeGpusOfTheirOwn() {
        QCOMPARE(gpusOf({process(2, kFour), process(1, kFour), process(1, kFour)}),
                 std::string("ab | c | d"));
    }

    void processesThatSeeOtherPartsOfItDoToo() {
        QCOMPARE(gpusOf({process(1, {"a", "b"}), process(1, {"c", "d"}), process(1, {"a", "b"}),
                         process(1, {"c", "d"})}),
                 std::string("a | c | b | d"));
        QCOMPARE(gpusOf({process(1, {"b"}), process(1, {"a", "b"})}), std::string("b | a"));
        QCOMPARE(gpusOf({process(1, {"a", "b"}), process(1, {"a"})}), std::string("b | a"));
    }

    void whereThereAreNotEnoughTheyAreSharedEvenly() {
        QCOMPARE(gpusOf({process(1, {"a", "b"}), process(2, {"a", "b"}), process(1, {"a", "b"})}),
                 std::string("a | ba | b"));
        QCOMPARE(gpusOf({process(2, {"a"})}), std::string("aa"));
    }

    void whoChoseGetsExactlyThatAndTheOthersWhatIsLeft() {
        QCOMPARE(gpusOf({process(1, kFour), process(2, {"b", "a"}, wire::GPU_CLAIM_CHOSEN)}),
                 std::string("c | ba"));
        QCOMPARE(gpusOf({process(1, kFour), process(1, {"d", "a"}, wire::GPU_CLAIM_ALL_CHOSEN)}),
                 std::string("b | da"));
    }

    void whoTakesAShareGetsAnEvenOneOfThoseThatItSees() {
        const auto share = wire::GPU_CLAIM_SHARE;
        QCOMPARE(gpusOf({process(1, kFour, share)}), std::string("abcd"));
        QCOMPARE(gpusOf({process(1, kFour, share), process(1, kFour, share)}),
                 std::string("ab | cd"));
        QCOMPARE(gpusOf({process(1, kFour, share), process(1, kFour, share),
                         process(1, {"e", "f"}, share)}),
                 std::string("ab | cd | ef"));
        QCOMPARE(gpusOf({process(1, {"a"}, share), process(1, {"a"}, share)}),
                 std::string("a | a"));
    }

    void nobodyTrainsOnGpusWhereOneProcessHasNone() {
        QCOMPARE(gpusOf({process(1, kFour), process(1, {})}), std::string(" | "));
        // What a group has is told all the same.
        QCOMPARE(gpusOf({process(1, {"a"}, wire::GPU_CLAIM_SHARE),
                         process(1, {}, wire::GPU_CLAIM_SHARE)}),
                 std::string("a | "));
    }

    void theJournalSaysWhichDeviceAReplicaHas() {
        testsupport::Stage stage(2);
        for (const std::uint32_t id : {0U, 1U}) {
            wire::ToCoordinator message;
            *message.mutable_register_() = process(1, kFour);
            message.mutable_register_()->set_role(wire::ROLE_WORKER);
            message.mutable_register_()->set_process_id(id);
            message.mutable_register_()->set_build("b");
            stage.say({wire::ROLE_WORKER, id}, std::move(message));
        }
        std::vector<std::string> seen;
        for (const wire::Record& record : stage.records)
            if (record.has_replica_info())
                seen.push_back(record.replica_info().device() + " " +
                               record.replica_info().hardware().uuid());
        QCOMPARE(seen, (std::vector<std::string>{"gpu:0 a", "gpu:1 b"}));
    }

    void aRegistrationOfThousandsOfDevicesIsRefused() {
        testsupport::Stage stage(1);
        wire::ToCoordinator message;
        *message.mutable_register_() = process(1, Gpus(5000, "a"));
        message.mutable_register_()->set_build("b");
        stage.say({wire::ROLE_WORKER, 0}, std::move(message));
        QVERIFY(std::ranges::none_of(stage.records, &wire::Record::has_replica_info));
    }
};

QTEST_GUILESS_MAIN(DeviceAssignmentTest)
#include "tst_device_assignment.moc"
