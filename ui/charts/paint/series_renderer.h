// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/mutex.h"
#include "ui/charts/paint/layer.h"
#include "ui/charts/paint/layer_painter.h"
#include "ui/charts/paint/work_crew.h"

namespace lockstep::ui {

/// Draws the curves of several charts on a thread of its own, named "chart-render", helped by
/// up to three others, named "chart-help". Of the requests of one chart only the latest counts.
/// No call waits for a picture.
class SeriesRenderer final : public QObject {
    Q_OBJECT
public:
    using Deliver = std::function<void(const RenderedLayer&)>;

    explicit SeriesRenderer(QObject* parent = nullptr);
    ~SeriesRenderer() override;

    /// `deliver` is called on this object's thread until the client is removed.
    [[nodiscard]] int addClient(Deliver deliver);
    void removeClient(int client);
    void request(int client, LayerRequest request);

private:
    struct Job {
        int client = 0;
        LayerRequest request;
    };

    /// By client. Those of several charts that wait are handed over together, since the window is
    /// then painted once.
    using Pictures = std::vector<std::pair<int, RenderedLayer>>;

    void run(const std::stop_token& stop);
    void deliver(Pictures pictures);
    [[nodiscard]] bool hasPending();
    [[nodiscard]] std::optional<Job> waitForJob(const std::stop_token& stop);
    [[nodiscard]] bool hasNewer(int client);

    std::map<int, Deliver> clients_;  ///< Used on the UI thread alone.
    int nextClient_ = 0;
    Mutex mutex_;
    ConditionVariable changed_;
    std::map<int, LayerRequest> pending_ LS_GUARDED_BY(mutex_);  ///< At most one a client.
    std::vector<int> removed_ LS_GUARDED_BY(mutex_);
    int lastClient_ LS_GUARDED_BY(mutex_) = -1;
    std::map<int, LayerPainter> painters_;  ///< Used on the render thread alone.
    WorkCrew crew_;
    std::jthread thread_;
};

}  // namespace lockstep::ui
