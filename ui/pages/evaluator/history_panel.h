// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "core/job/data_card.h"
#include "core/job/handover/sample_answers.h"
#include "ui/bridge/background_task.h"
#include "ui/models/sample_history.h"

class QLabel;
class QPushButton;
class QTimer;

namespace lockstep::ui {

class AnswerStrip;

/// One sample across the checkpoints of its run: what they say of it, and since when it is right or
/// wrong. What the evaluator recorded is there at once; the checkpoints whose files are there are
/// asked when the user wants it, about all samples that are shown beside it, with progress, until
/// that is cancelled or the page is left.
class HistoryPanel final : public QWidget {
    Q_OBJECT
public:
    using Asker = std::function<Result<void>(const job::AskedSamples&, const job::HearStep&,
                                             const job::LoadWatch&)>;
    static constexpr std::size_t kMostAsked = 100;  ///< Checkpoints at a time, the newest.

    explicit HistoryPanel(QWidget* parent = nullptr);
    ~HistoryPanel() override;

    /// Called on a worker thread. Empty: what is recorded is all there is.
    void setAsker(Asker asker);
    /// What is known of the run by now; the checkpoint of `step` is the one whose samples are
    /// shown.
    void setRun(const job::RunView& run, const std::string& split, std::int64_t step,
                const QStringList& classNames);
    /// The places in the split of the samples that are shown: all of them are asked about.
    void setShown(std::vector<std::uint32_t> samples) { shown_ = std::move(samples); }
    /// -1: none, and the panel hides itself. `name`: what the sample is.
    void showSample(int sample, const QString& name);
    [[nodiscard]] int sample() const { return sample_; }
    [[nodiscard]] History history() const { return history_.of(sample_); }
    [[nodiscard]] bool isAsking() const { return asking_.isBusy(); }

    /// Why the checkpoint that was opened is not shown.
    void sayNotScored(std::int64_t step);
    /// As the button does.
    void ask();

Q_SIGNALS:
    void closed();
    /// The samples of that checkpoint are wanted.
    void stepOpened(qint64 step);

protected:
    void hideEvent(QHideEvent* event) override;

private:
    /// What the asking thread has heard and the panel has not fetched yet.
    struct Mailbox {
        std::mutex mutex;
        std::vector<job::StepAnswers> news;
        std::uint64_t read = 0;  ///< Of the run's data,
        std::uint64_t all = 0;   ///< of how many; 0: it is not known.
    };

    void buildLayout();
    [[nodiscard]] std::vector<std::uint32_t> wanted() const;
    void cancel();
    void fetch();
    void showHistory();
    void showAsking();
    [[nodiscard]] QString gapsText(const History& history) const;

    Asker asker_;
    SampleHistory history_;
    std::filesystem::path runDir_;
    std::string split_;
    QStringList classNames_;
    std::vector<std::uint32_t> shown_;
    int sample_ = -1;
    QString name_;
    QThreadPool thread_;  ///< Its one thread asks; what is cancelled ends there, alone.
    BackgroundTask asking_{&thread_};
    std::stop_source wanted_;
    std::shared_ptr<Mailbox> mailbox_;
    std::size_t heard_ = 0;  ///< Checkpoints,
    std::size_t asked_ = 0;  ///< of so many that are asked now.
    QString problem_;        ///< Why none could be asked.
    QTimer* beat_;
    AnswerStrip* strip_;
    QLabel* sentence_;
    QLabel* pointed_;
    QLabel* gaps_;
    QLabel* progress_;
    QPushButton* ask_;
    QPushButton* cancel_;
};

}  // namespace lockstep::ui
