// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "ui/bridge/network_bridge.h"
#include "ui/models/evaluation_model.h"

class QPushButton;

namespace lockstep::ui {

class AnswersCard;
class EvaluatorPage;
class NoticeBar;
class QuestionCard;
class SegmentedControl;

/// The Evaluator page as the window shows it: how the checkpoints score; or the network itself,
/// asked about files, rows and prompts; and handed over to other programs. Files that are dropped
/// anywhere on it are asked about.
class EvaluatorDesk final : public QWidget {
    Q_OBJECT
public:
    EvaluatorDesk(EvaluationModel& model, NetworkBridge& networks, QWidget* parent = nullptr);

    void reset();
    void showView(const std::shared_ptr<const job::RunView>& view);
    [[nodiscard]] EvaluatorPage& scores() const { return *scores_; }

    void showPredict(bool on);
    /// How the checkpoint of that step scores.
    void showCheckpoint(std::int64_t step);
    void exportTo(const QString& file, job::NetworkFormat format);
    /// Likewise, of the checkpoint of that step.
    void exportStep(std::int64_t step, const QString& file, job::NetworkFormat format);

Q_SIGNALS:
    void resumeWanted();
    /// The run's job, beginning with the weights in this file, is to be opened.
    void startWanted(const QString& weights);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildBar();
    QWidget* buildPredict();
    void buildExport(QWidget* bar);
    void connectNetworks();
    void chooseFile(job::NetworkFormat format, std::int64_t step = 0);
    [[nodiscard]] static QString pastObstacle();
    void choosePlace();
    void ask(const job::Question& question);
    void showExported(const QString& file, const job::ExportedNetwork& network);
    void showExportFailure(const Error& error);
    void showExporting();
    [[nodiscard]] job::NetworkPlace place() const;
    [[nodiscard]] bool canAsk() const;
    [[nodiscard]] bool hasNetwork() const;
    [[nodiscard]] bool isPast() const { return view_ && view_->momentWallTime > 0; }

    NetworkBridge& networks_;
    std::shared_ptr<const job::RunView> view_;
    QWidget* bar_ = nullptr;
    QWidget* predict_ = nullptr;
    EvaluatorPage* scores_ = nullptr;
    SegmentedControl* mode_ = nullptr;
    SegmentedControl* which_ = nullptr;
    QPushButton* export_ = nullptr;
    NoticeBar* notice_ = nullptr;
    QuestionCard* question_ = nullptr;
    AnswersCard* answers_ = nullptr;
    std::optional<job::NetworkPlace> known_;     ///< Whose facts are shown, or on their way.
    std::optional<job::Question> lastQuestion_;  ///< Asked again of another checkpoint.
};

}  // namespace lockstep::ui
