// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/series_renderer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/clock.h"
#include "core/base/thread.h"
#include "ui/style/window_beat.h"

namespace lockstep::ui {

namespace {
constexpr int kMostHelpers = 3;
constexpr Nanos kTogether = std::chrono::milliseconds(16);
}  // namespace

SeriesRenderer::SeriesRenderer(QObject* parent)
    : QObject(parent),
      crew_(std::clamp(availableProcessors() - 1, 0, kMostHelpers)),
      thread_(startThread("chart-render", [this](const std::stop_token& stop) { run(stop); })) {}

SeriesRenderer::~SeriesRenderer() {
    thread_.request_stop();
    thread_.join();  // bounded by one picture
}

int SeriesRenderer::addClient(Deliver deliver) {
    clients_.emplace(nextClient_, std::move(deliver));
    return nextClient_++;
}

void SeriesRenderer::removeClient(int client) {
    clients_.erase(client);
    const Lock lock(mutex_);
    pending_.erase(client);
    removed_.push_back(client);
    changed_.notify_one();
}

void SeriesRenderer::request(int client, LayerRequest request) {
    const Lock lock(mutex_);
    pending_.insert_or_assign(client, std::move(request));
    changed_.notify_one();
}

std::optional<SeriesRenderer::Job> SeriesRenderer::waitForJob(const std::stop_token& stop) {
    const Lock lock(mutex_);
    changed_.wait_for(mutex_, stop, std::chrono::seconds(1), [this]() LS_REQUIRES(mutex_) {
        return !pending_.empty() || !removed_.empty();
    });
    for (const int client : removed_)
        painters_.erase(client);
    removed_.clear();
    if (pending_.empty()) return std::nullopt;
    // In turn, so that one busy chart cannot keep the others waiting.
    auto next = pending_.upper_bound(lastClient_);
    if (next == pending_.end()) next = pending_.begin();
    Job job{next->first, std::move(next->second)};
    pending_.erase(next);
    lastClient_ = job.client;
    return job;
}

bool SeriesRenderer::hasNewer(int client) {
    const Lock lock(mutex_);
    return pending_.contains(client);
}

bool SeriesRenderer::hasPending() {
    const Lock lock(mutex_);
    return !pending_.empty();
}

void SeriesRenderer::run(const std::stop_token& stop) {
    yieldToOthers();  // watching must not slow down what is watched
    Pictures finished;
    Nanos first{};
    while (!stop.stop_requested()) {
        std::optional<Job> job = waitForJob(stop);
        if (job) {
            const auto interrupted = [&] { return stop.stop_requested() || hasNewer(job->client); };
            if (finished.empty()) first = SteadyClock::read();
            const double before = threadProcessorSeconds();
            RenderedLayer layer =
                painters_[job->client].paint(std::move(job->request), crew_, interrupted);
            // The crew shares the work evenly.
            layer.processorSeconds = (threadProcessorSeconds() - before) * crew_.threads();
            finished.emplace_back(job->client, std::move(layer));
            if (hasPending() && SteadyClock::read() - first < kTogether) continue;
        }
        if (!finished.empty()) deliver(std::exchange(finished, {}));
    }
}

void SeriesRenderer::deliver(Pictures pictures) {
    // Calls that are still queued when this object goes are dropped with it.
    QMetaObject::invokeMethod(
        this,
        [this, pictures = std::move(pictures)] {
            for (const auto& [client, layer] : pictures) {
                const auto found = clients_.find(client);
                if (found != clients_.end()) found->second(layer);
            }
        },
        Qt::QueuedConnection);
}

}  // namespace lockstep::ui
