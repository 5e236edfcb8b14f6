// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <stop_token>

#include "core/job/data_card.h"
#include "ui/bridge/background_task.h"
#include "ui/widgets/card.h"

class QLabel;
class QPushButton;
class QTableWidget;
class QTimer;

namespace lockstep::ui {

class AugmentedSamples;
class JobEditor;

/// What the job trains on: how many samples of each class and split there are, what was skipped,
/// and real images beside what augmentation makes of them. Read from the disk when asked for; the
/// reading ends when it is cancelled, the page is left, or the job asks for other data.
class SamplesCard final : public Card {
    Q_OBJECT
public:
    using Answer = Result<job::DataCard>;
    using Reader = std::function<Answer(const config::JobSpec&, const std::filesystem::path&,
                                        const job::LoadWatch&)>;

    explicit SamplesCard(JobEditor& editor, QWidget* parent = nullptr);

    /// Reads the data of a job, on a worker thread. Empty: nothing can be read.
    void setReader(Reader reader);
    [[nodiscard]] bool isReading() const { return reading_.isBusy(); }

    ~SamplesCard() override;

Q_SIGNALS:
    /// Of the job as it is now.
    void factsRead(const lockstep::model::DataFacts& facts);

protected:
    void hideEvent(QHideEvent* event) override;

private:
    /// How far a reading is, as its threads tell it.
    struct Progress {
        std::mutex mutex;
        job::LoadProgress newest;
    };
    [[nodiscard]] job::LoadWatch beginWatch();
    void read();
    void cancel();
    void stopReading();
    void stopIfOther();
    [[nodiscard]] QString progressText() const;
    void showState();
    void hideAnswer();
    void refresh();
    void showAnswer(const Answer& answer);
    void showCounts(const job::DataCard& card);
    void showSamples(const job::DataCard& card);

    JobEditor& editor_;
    Reader reader_;
    QThreadPool thread_;  ///< Its one thread loads; what is cancelled goes on there, alone.
    BackgroundTask reading_{&thread_};
    QString readText_;  ///< What was read last, or is being read.
    QString stopped_;   ///< Why the last reading came to nothing; empty: it did not.
    std::stop_source wanted_;
    std::shared_ptr<Progress> progress_;  ///< Of the reading that goes on.
    QTimer* beat_ = nullptr;              ///< Shows it.
    QLabel* state_ = nullptr;
    QLabel* notes_ = nullptr;
    QTableWidget* counts_ = nullptr;
    AugmentedSamples* samples_ = nullptr;
    QPushButton* read_ = nullptr;
    QPushButton* cancel_ = nullptr;
};

}  // namespace lockstep::ui
