// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/base/result.h"
#include "ui/bridge/background_task.h"

class QLabel;
class QPushButton;

namespace lockstep::ui {

/// Keeps the files of one checkpoint, whatever comes after it, or takes that back; says what became
/// of it. What is so already is told by the run itself.
class KeepButton final : public QWidget {
    Q_OBJECT
public:
    /// Called on a worker thread.
    using Keeper = std::function<Result<void>(const std::filesystem::path& runDir,
                                              std::int64_t step, bool keep)>;
    enum class State { None, Stored, Kept, Deleted };

    explicit KeepButton(QWidget* parent = nullptr);

    /// Empty: nothing is offered.
    void setKeeper(Keeper keeper);
    void showCheckpoint(const std::filesystem::path& runDir, std::int64_t step, State state);

Q_SIGNALS:
    /// So it is now, whichever checkpoint of the run is shown meanwhile.
    void kept(std::int64_t step, bool keep);

private:
    void press();
    void showState();

    Keeper keeper_;
    BackgroundTask task_;
    std::filesystem::path runDir_;
    std::int64_t step_ = -1;
    State state_ = State::None;
    QPushButton* button_;
    QLabel* said_;
};

}  // namespace lockstep::ui
