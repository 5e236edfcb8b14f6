// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <vector>

#include "core/job/fold/session.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/run_comparison.h"

class QBoxLayout;
class QLabel;

namespace lockstep::ui {

class Card;
class RunRow;

/// Where one begins: what runs now, what ran last, and how to get a job. Looks at the user's runs
/// every few seconds while it is shown.
class HomePage final : public QWidget {
    Q_OBJECT
public:
    static constexpr int kMostRuns = 6;  ///< That ran last; all of those that run are shown.
    static constexpr int kMostJobs = 5;
    static constexpr std::size_t kMostFollowed = 8;  ///< Of those that run: how far they are.

    /// `find` gives the runs of this user, on a worker thread; where it is missing there are none.
    /// `attach` reads how far those are that go on.
    explicit HomePage(std::function<std::vector<job::RunEntry>()> find,
                      RunComparison::Attach attach = {}, QWidget* parent = nullptr);

    /// Looks at the runs, without waiting for them.
    void refresh();
    void setRecentJobs(const QStringList& paths);

Q_SIGNALS:
    void openRequested();
    void openExampleRequested();
    void openRunRequested();
    /// "houses", "tiny-gpt".
    void starterRequested(const QString& name);
    void recentJobChosen(const QString& path);
    void runChosen(const QString& runDir);
    void allRunsRequested();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void buildBeginnings(QBoxLayout* column);
    void buildPast(QBoxLayout* column);
    void showRuns(std::vector<job::RunEntry> runs);
    void followLive(const std::vector<job::RunEntry>& runs, std::size_t live);
    void noteProgress(int run, const View& view);
    void showProgress(const QString& folder);
    [[nodiscard]] RunRow* rowOf(const job::RunEntry& run, QWidget* parent);

    std::function<std::vector<job::RunEntry>()> find_;
    BackgroundTask looking_;
    RunComparison progress_;
    std::vector<std::filesystem::path> followed_;
    QHash<QString, QString> far_;  ///< By folder: "41 %, 5 min left".
    QTimer again_;
    Card* running_ = nullptr;
    Card* last_ = nullptr;
    QLabel* noRuns_ = nullptr;
    Card* jobs_ = nullptr;
    QString shown_;  ///< What the rows say: they stay where nothing has changed.
};

}  // namespace lockstep::ui
