// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <cstdlib>

#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

namespace lockstep::testsupport {

/// A journal of `steps` steps of 10 ms of as many replicas, reported ten times a second.
inline void writeLongRun(const QString& folder, int replicas, int steps) {
    constexpr double kStart = 1'790'000'000;
    const auto writer = telemetry::JournalWriter::open((folder + "/journal").toStdString()).value();
    const auto write = [&](wire::Record& record, double seconds) {
        record.set_wall_time(kStart + seconds);
        if (!writer->append(wire::encode(record).value())) std::abort();
    };
    wire::Record info;
    info.mutable_run_info()->set_name("long");
    info.mutable_run_info()->set_total_steps(std::uint64_t(steps));
    info.mutable_run_info()->set_replica_count(std::uint32_t(replicas));
    info.mutable_run_info()->set_global_batch_size(64);
    write(info, 0);
    for (int replica = 0; replica < replicas; ++replica) {
        wire::Record record;
        record.mutable_replica_info()->set_process_id(std::uint32_t(replica));
        record.mutable_replica_info()->set_replica(std::uint32_t(replica));
        write(record, 0);
    }
    wire::Record state;
    state.mutable_run_state()->set_state(wire::RUN_STATE_TRAINING);
    write(state, 0);
    constexpr int kBatch = 10;
    for (int first = 1; first <= steps; first += kBatch) {
        for (int replica = 0; replica < replicas; ++replica) {
            wire::Record record;
            wire::StepBatch& batch = *record.mutable_steps();
            batch.set_replica(std::uint32_t(replica));
            batch.set_first_step(std::uint64_t(first));
            batch.set_first_end_wall_time(kStart + 0.01 * first);
            for (int step = first; step < first + kBatch; ++step) {
                batch.add_loss(1.0F / float(step));
                batch.add_accuracy(0.5F);
                batch.add_step_us(10'000);
                for (auto* column : {batch.mutable_data_us(), batch.mutable_forward_us(),
                                     batch.mutable_backward_us(), batch.mutable_all_reduce_us(),
                                     batch.mutable_update_us()})
                    column->Add(1000);
            }
            write(record, 0.01 * (first + kBatch));
            if (first % 100 != 1) continue;
            wire::Record beat;
            beat.mutable_heartbeat()->set_process_id(std::uint32_t(replica));
            write(beat, 0.01 * (first + kBatch));
        }
        // The writer's memory has a limit.
        if (first % 10'000 == 1 && !writer->flush()) std::abort();
    }
    wire::Record end;
    end.mutable_run_end()->set_status("completed");
    write(end, 0.01 * steps + 1);
    if (!writer->flush()) std::abort();
}

}  // namespace lockstep::testsupport
