// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "core/job/fold/session.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QTableView;

namespace lockstep::ui {

class EmptyState;
class FindBar;
class LogModel;
class PatternEdit;

/// The lines of all processes with a filter by text, process and level, and a search apart from it.
/// Follows the newest line until the user scrolls away or goes to another one; what is read then
/// stays where it is, whatever comes.
class LogsPage final : public QWidget {
    Q_OBJECT
public:
    explicit LogsPage(LogModel& model, QWidget* parent = nullptr);

    void focusFind();
    /// Shows the line that best tells why a process failed, among those around it, as soon as it is
    /// found.
    void showFailure(job::Role role, int processId, const QString& cause);
    /// Shows the first line at a time or later, in seconds since 1970; the last one where there is
    /// none.
    void showTime(double wallTime);

Q_SIGNALS:
    /// A time was chosen, in seconds since 1970; `shows`: the charts are to be seen, too.
    void momentChosen(double wallTime, bool shows);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* buildFilterBar();
    void buildBoxes(QWidget* bar);
    void buildTable();
    void addVerb(const QString& text, const QKeySequence& keys, void (LogsPage::*verb)());
    void buildLayout();
    void buildKeys();
    void connectModel();
    void connectFind();
    void connectScrolling();
    void forgetProcesses();
    void addProcess(int processKey, const QString& name);
    void filterChanged();
    void copySelection();
    void sayCopied(const QString& text, int count, int wanted);
    void scrollIfFollowing();
    void showCounts();
    void say(const QString& sentence);
    void showLine(qint64 line);
    void chooseRow(int row);
    void showMoment();
    void clickCell(const QModelIndex& index);
    [[nodiscard]] int currentRow() const;
    bool fold(bool unfolds);

    LogModel& model_;
    PatternEdit* text_ = nullptr;
    QComboBox* process_ = nullptr;
    QComboBox* level_ = nullptr;
    QCheckBox* follow_ = nullptr;
    QLabel* count_ = nullptr;
    QLabel* said_ = nullptr;
    FindBar* find_ = nullptr;
    QTableView* table_ = nullptr;
    EmptyState* empty_ = nullptr;
    QWidget* content_ = nullptr;
    std::optional<int> wantedProcess_;  ///< Chosen, of a log that has come in another's place.
    qint64 awaited_ = -1;  ///< A line that is to be shown once the filter has come to it.
};

}  // namespace lockstep::ui
