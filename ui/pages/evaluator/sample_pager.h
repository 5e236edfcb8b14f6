// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/job/data_card.h"
#include "core/job/handover/scored_samples.h"
#include "ui/bridge/background_task.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTimer;
class QToolButton;

namespace lockstep::ui {

/// Every sample that a checkpoint was scored on, page by page, where an evaluation keeps some of
/// them, or those alone that another checkpoint has answered otherwise: computed when it is asked
/// for, with its progress, until it is cancelled or the page is left.
class SamplePager final : public QWidget {
    Q_OBJECT
public:
    using Samples = std::shared_ptr<const job::ScoredSamples>;
    using Reader = std::function<Result<Samples>(const job::ScoredSplit&, const job::LoadWatch&)>;
    static constexpr std::size_t kPage = 60;  ///< Samples.

    explicit SamplePager(QWidget* parent = nullptr);
    ~SamplePager() override;

    /// Called on a worker thread. Empty: nothing is offered.
    void setReader(Reader reader);
    /// Another checkpoint, or another split: its samples are not known yet.
    void setScored(const job::ScoredSplit& scored);
    /// Those of a cell of the confusion matrix alone; -1, -1: all.
    void setCell(int truth, int prediction);
    /// A checkpoint whose answers may be held against this one's, and its score in words.
    struct Other {
        std::int64_t step = 0;
        QString score;
        bool operator==(const Other&) const = default;
    };
    /// In the order of their steps.
    void setOthers(const std::vector<Other>& others);
    /// What the page is of, in words: "right at step 500, wrong here"; empty: all samples.
    [[nodiscard]] QString comparedWords() const;
    /// What is to be shown; nullptr: nothing was computed.
    [[nodiscard]] const job::ScoredSamples::Page* page() const { return page_ ? &*page_ : nullptr; }
    [[nodiscard]] bool isReading() const { return reading_.isBusy(); }

Q_SIGNALS:
    void pageChanged();

protected:
    void hideEvent(QHideEvent* event) override;

private:
    struct Progress {
        std::mutex mutex;
        job::ScoredSamples::Page counts{};  ///< first: done; all: of how many.
        Samples samples{};                  ///< Of the checkpoint itself, once they are computed.
    };

    QToolButton* addTurn(const char* name, const QString& words, Qt::ArrowType arrow, int by);
    struct Read {
        Samples samples;
        Samples before;  ///< Of the checkpoint that it is compared with; null: none.
    };

    void buildComparison();
    void compare();
    [[nodiscard]] std::optional<job::ScoredSplit> comparedSplit() const;
    void read();
    void cancel();
    void takeComputed();
    void take(const Result<Read>& read);
    void turnTo(std::size_t first);
    void showUncompared();
    void showState();
    void setProblem(const QString& words, const QString& remedy = {});

    Reader reader_;
    job::ScoredSplit scored_;
    QThreadPool thread_;  ///< Its one thread computes; what is cancelled ends there, alone.
    BackgroundTask reading_{&thread_};
    BackgroundTask turning_;
    std::stop_source wanted_;
    std::shared_ptr<Progress> progress_;
    QTimer* beat_;
    Samples samples_;
    Samples before_;
    std::optional<job::ScoredSamples::Page> page_;
    QString problem_;  ///< Why nothing was computed; empty: something was, or nobody asked.
    std::vector<Other> others_;
    std::int64_t othersOf_ = -1;  ///< The step of the checkpoint that they are others of.
    int truth_ = -1;
    int prediction_ = -1;
    QComboBox* other_;   ///< The checkpoint that it is compared with.
    QComboBox* change_;  ///< Which of the differences are shown.
    QPushButton* read_;
    QPushButton* cancel_;
    QToolButton* back_;
    QToolButton* after_;
    QLabel* words_;
};

}  // namespace lockstep::ui
