// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/bridge/run_trash.h"
#include "ui/pages/runs/runs_place_bar.h"

class QAction;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace lockstep::ui {

class ComparePage;
class DescribeRun;
class EmptyState;
class NoticeBar;
class RunsAxes;
class RunsColumns;
class RunsFilterModel;
class RunsModel;
class SegmentedControl;
class SettingColumns;
class ShareRun;
struct JobServices;

/// The runs of the runs folder as a workbench: find one by what is typed, attach to one that runs,
/// look at one that has ended, compare several, move what is not needed to the trash.
class RunsPage final : public QWidget {
    Q_OBJECT
public:
    RunsPage(RunsModel& model, const JobServices& services, QWidget* parent = nullptr);

    using Place = RunsPlaceBar::Place;
    void showPlace(const Place& place) { place_->showPlace(place); }
    /// The run that the window shows stays where it is; empty: none.
    void setShownRun(const QString& folder);
    void focusFilter();

Q_SIGNALS:
    void runChosen(const QString& runDir);
    /// A copy of the run's job file is to be opened.
    void jobRequested(const QString& runDir);
    void refreshRequested();
    /// All runs are to lie in another folder.
    void placeChangeRequested();
    /// Runs are to lie beside their job files again.
    void placeResetRequested();

private:
    void buildTable();
    void buildActions();
    QWidget* buildBar();
    void buildNotices();
    void buildLayout();
    void connectTrash();
    void showRuns();
    void showFiltered();
    void showForm();
    void focusForm();
    void showChosen();
    void openCurrent();
    void compare();
    void remove();
    void openFolder();
    void sayRemoved(const RunTrash::Outcome& outcome);
    void sayRestored(const RunTrash::Outcome& outcome);
    [[nodiscard]] static QString openRunSentence();
    void warn(const QString& what, const QString& why);
    QPushButton* offerUndo();
    /// Selects whole rows; none is current unasked.
    void choose(const QStringList& folders);
    [[nodiscard]] QStringList chosenFolders() const;
    [[nodiscard]] QVector<int> rowsToCompare() const;

    RunsModel& model_;
    RunTrash trash_;
    RunsFilterModel* filtered_ = nullptr;
    QTableView* table_ = nullptr;
    QLineEdit* words_ = nullptr;
    QLabel* count_ = nullptr;
    SettingColumns* columns_ = nullptr;
    RunsColumns* room_ = nullptr;
    QAction* openAction_ = nullptr;
    QAction* compareAction_ = nullptr;
    QAction* jobAction_ = nullptr;
    QAction* folderAction_ = nullptr;
    QAction* shareAction_ = nullptr;
    QAction* describeAction_ = nullptr;
    QAction* removeAction_ = nullptr;
    NoticeBar* notice_ = nullptr;
    NoticeBar* shareNotice_ = nullptr;
    EmptyState* empty_ = nullptr;
    EmptyState* noMatch_ = nullptr;
    QWidget* content_ = nullptr;
    QWidget* tableCard_ = nullptr;
    SegmentedControl* form_ = nullptr;  ///< A table, or axes.
    RunsAxes* axes_ = nullptr;
    QWidget* axesCard_ = nullptr;
    QWidget* list_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    ComparePage* comparison_ = nullptr;
    RunsPlaceBar* place_ = nullptr;
    ShareRun* share_ = nullptr;
    DescribeRun* describe_ = nullptr;
    QTimer filterSoon_;   ///< Columns follow what is listed once typing rests.
    QStringList chosen_;  ///< The folders of the runs that were chosen last.
    QString shownRun_;
    bool keptOpen_ = false;  ///< The removal under way leaves the run that is open here out.
};

}  // namespace lockstep::ui
