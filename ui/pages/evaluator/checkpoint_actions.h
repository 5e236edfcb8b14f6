// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/bridge/background_task.h"
#include "ui/bridge/job_services.h"

class QLabel;
class QPushButton;

namespace lockstep::ui {

/// What can be done with the files of one checkpoint besides keeping them: written for other
/// programs, gone on from where the run ended early, or taken as the beginning of another run.
class CheckpointActions final : public QWidget {
    Q_OBJECT
public:
    explicit CheckpointActions(QWidget* parent = nullptr);

    struct Checkpoint {
        std::filesystem::path runDir{};
        std::int64_t step = 0;  ///< 0: none, and nothing is offered.
        bool isGone = false;
        bool canResume = false;  ///< A resume of the run goes on from it.
        bool operator==(const Checkpoint&) const = default;
    };
    void showCheckpoint(const Checkpoint& checkpoint);
    /// Whether networks can be handed over at all; `obstacle`: why not now.
    void setOffered(bool isOffered, const QString& obstacle);

Q_SIGNALS:
    void exportWanted(qint64 step, lockstep::job::NetworkFormat format);
    void resumeWanted();
    /// A job that begins with the weights in this file.
    void startWanted(const QString& weights);

private:
    void findWeights();
    void showState();

    Checkpoint checkpoint_;
    bool isOffered_ = false;
    QString obstacle_;
    BackgroundTask finding_;
    QPushButton* export_;
    QPushButton* resume_;
    QPushButton* start_;
    QLabel* said_;
};

}  // namespace lockstep::ui
