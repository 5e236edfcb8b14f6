// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "core/job/timeline/run_timeline.h"
#include "ui/widgets/time_slider.h"

class QComboBox;
class QToolButton;

namespace lockstep::ui {

class ElidedLabel;

/// The foot of the pages: the timeline of the run, with what happened marked on it, and the buttons
/// that play it.
class TimeBar final : public QWidget {
    Q_OBJECT
public:
    explicit TimeBar(QWidget* parent = nullptr);

    /// Its length and its marks.
    void showTimeline(const job::RunTimeline& timeline);
    /// There is none (yet): why, in words.
    void showObstacle(const QString& words);
    /// "14:05:12, step 3 120", "Now".
    void showPlace(const QString& words);
    void showPlaying(bool on);
    /// How many seconds of the run are shown in one.
    [[nodiscard]] double speed() const;
    [[nodiscard]] TimeSlider& slider() const { return *slider_; }

Q_SIGNALS:
    void playClicked();

private:
    void showMarks(const job::RunTimeline& timeline);

    QToolButton* play_;
    QComboBox* speed_;
    TimeSlider* slider_;
    ElidedLabel* place_;
    /// What the slider's marks were made of, in the order of the timeline.
    std::vector<job::TimelineMark> marks_;
    QVector<TimeSlider::Mark> made_;
};

/// "14:05:12"; with the date where that is not today's.
[[nodiscard]] QString momentText(double wallTime);

}  // namespace lockstep::ui
