// SPDX-License-Identifier: Apache-2.0
#include "core/train/telemetry_sender.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <tuple>

#include "core/base/clock.h"
#include "core/base/record_clock.h"
#include "core/base/thread.h"
#include "core/telemetry/gpu_probe.h"
#include "core/telemetry/journalled_steps.h"
#include "core/telemetry/process_figures.h"

namespace lockstep::train {

namespace {
constexpr std::chrono::seconds kFiguresInterval{2};

/// Null without GPUs; and without NVML, whose figures are worth a line in the log, not a run.
std::unique_ptr<telemetry::GpuProbe> openGpuProbe(const std::vector<std::string>& uuids) {
    if (uuids.empty()) return nullptr;
    auto probe = telemetry::GpuProbe::open(uuids);
    if (probe) return std::move(*probe);
    std::fprintf(stderr, "note: no figures of the GPU: %s\n", probe.error().message.c_str());
    return nullptr;
}

}  // namespace

TelemetrySender::TelemetrySender(coordination::Client& client,
                                 std::vector<telemetry::StepRing*> rings, std::uint32_t processId,
                                 wire::Role role, std::vector<std::string> gpuUuids,
                                 KeptSteps* kept,
                                 std::function<std::int64_t(std::int64_t)> nextCheckpoint)
    : client_(client),
      rings_(std::move(rings)),
      processId_(processId),
      role_(role),
      gpuUuids_(std::move(gpuUuids)),
      kept_(kept),
      times_(std::move(nextCheckpoint)),
      thread_(startThread("telemetry", [this](const std::stop_token& stop) { loop(stop); })) {}

TelemetrySender::~TelemetrySender() {
    thread_.request_stop();
    thread_.join();
    std::vector<wire::Record> records;
    for (telemetry::StepRing* ring : rings_)
        ring->drainLast(recordSeconds(), records);
    send(records);
}

void TelemetrySender::loop(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any pause;
    telemetry::ProcessProbe probe;
    const auto gpus = openGpuProbe(gpuUuids_);
    Nanos nextFigures{0};
    std::vector<wire::Record> records;
    while (!stop.stop_requested()) {
        for (telemetry::StepRing* ring : rings_)
            ring->drain(recordSeconds(), records);
        if (const Nanos now = SteadyClock::read(); now >= nextFigures) {
            nextFigures = now + kFiguresInterval;
            if (auto figures = probe.sample(processId_, role_, now)) {
                if (gpus != nullptr)
                    for (wire::GpuFigures& gpu : gpus->sample())
                        *figures->add_gpus() = std::move(gpu);
                *records.emplace_back().mutable_figures() = std::move(*figures);
            }
        }
        send(records);
        std::unique_lock lock(mutex);
        pause.wait_for(lock, stop, times_.pauseBehind(sentByAll(), SteadyClock::read()),
                       [] { return false; });
    }
}

void TelemetrySender::send(std::vector<wire::Record>& records) {
    // A record that the client cannot take is counted there and said in the journal.
    for (wire::Record& record : records)
        std::ignore = client_.sendRecord(std::move(record));
    records.clear();
    for (std::size_t local = 0; kept_ != nullptr && local < rings_.size(); ++local)
        if (const std::uint64_t step = rings_[local]->newestTaken(); step > 0)
            kept_->replica(static_cast<int>(local)).told(static_cast<std::int64_t>(step));
}

/// The newest step that all replicas of the process have sent; 0 before.
std::int64_t TelemetrySender::sentByAll() const {
    std::uint64_t newest = rings_.empty() ? 0 : rings_.front()->newestTaken();
    for (const telemetry::StepRing* ring : rings_)
        newest = std::min(newest, ring->newestTaken());
    return static_cast<std::int64_t>(newest);
}

/// In batches of their own: those of this life come after a pause.
void tellFormerSteps(coordination::Client& client, KeptReplica& kept, int replica,
                     const StartPoint& start) {
    if (const auto index = static_cast<std::size_t>(replica);
        index < start.journalled.size() &&
        start.journalled[index] != telemetry::JournalledSteps::kUnknown)
        kept.told(std::min(start.journalled[index], start.step));
    telemetry::StepRing former(static_cast<std::uint32_t>(replica), KeptReplica::kRecords);
    for (const telemetry::StepRecord& record : kept.untold(start.step))
        former.push(record);
    std::vector<wire::Record> records;
    former.drainLast(recordSeconds(), records);
    for (wire::Record& record : records)
        std::ignore = client.sendRecord(std::move(record));  // samples: counted there
    kept.told(start.step);
}

}  // namespace lockstep::train
