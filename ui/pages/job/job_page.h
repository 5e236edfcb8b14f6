// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/pages/job/columns_editor.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QVBoxLayout;

namespace lockstep::ui {

class ClusterCard;
class ClusterTableModel;
class JobEditor;
class HostCheckCard;
class JobPreview;
class ModelCard;
class Network;
class SamplesCard;
class StatePill;

/// The job as a form in two columns, with what is wrong with it in one line above and its text
/// beside it, or, where there is no room for that, foldable below. Without a job: how to get one.
class JobPage final : public QWidget {
    Q_OBJECT
public:
    JobPage(JobEditor& editor, ClusterTableModel& cluster, QWidget* parent = nullptr);

    /// As the job and its hosts are now.
    void refresh();

    [[nodiscard]] HostCheckCard& hosts() { return *hosts_; }
    [[nodiscard]] Network& network() { return *network_; }
    [[nodiscard]] SamplesCard& samples() { return *samples_; }
    [[nodiscard]] ModelCard& model() { return *model_; }
    /// How the header of a job's table is read, on worker threads.
    void setColumnsReader(const ColumnsEditor::Reader& reader);
    /// Scrolls to the hosts' checks.
    void showHosts();
    /// The run that is followed is of another job; empty: it is not.
    void offerRunsJob(const QString& runsJob);

Q_SIGNALS:
    void openRequested();
    void openExampleRequested();
    void runsJobRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* buildEmpty();
    QWidget* buildSummary();
    [[nodiscard]] QHBoxLayout* buildColumns(ClusterTableModel& cluster, QWidget* form);
    QWidget* buildForm(ClusterTableModel& cluster);
    QWidget* buildBeside();
    void moveText(bool beside);
    void showCards();
    void showFirstProblem();
    void showLine(int line, int column);
    void scrollToText();

    JobEditor& editor_;
    Network* network_ = nullptr;
    QWidget* empty_ = nullptr;
    QWidget* content_ = nullptr;
    StatePill* pill_ = nullptr;
    QLabel* summary_ = nullptr;
    QPushButton* showProblem_ = nullptr;
    QPushButton* showRunsJob_ = nullptr;
    ClusterCard* cluster_ = nullptr;
    HostCheckCard* hosts_ = nullptr;
    SamplesCard* samples_ = nullptr;
    ModelCard* model_ = nullptr;
    JobPreview* preview_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QSplitter* halves_ = nullptr;  ///< Form and text.
    QWidget* side_ = nullptr;      ///< Where the text is beside the form.
    bool isSizedByUser_ = false;
    QList<QWidget*> trainerCards_;  ///< What an own program does not see.
};

}  // namespace lockstep::ui
