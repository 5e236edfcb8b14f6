// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/job/fold/session.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace lockstep::ui {

class EmptyState;
class LogFilterModel;
class LogModel;

/// The lines of all processes with a filter by text, process and level. Follows the newest line
/// until the user scrolls away; what is read then stays where it is, whatever comes and goes.
class LogsPage final : public QWidget {
    Q_OBJECT
public:
    explicit LogsPage(LogModel& model, QWidget* parent = nullptr);

    void focusFilter();
    /// Shows the line that best tells why a process failed, among those around it.
    void showFailure(job::Role role, int processId, const QString& cause);

private:
    QWidget* buildFilterBar();
    void buildTable();
    void buildLayout();
    void connectModel();
    void connectScrolling();
    void addProcess(int processKey, const QString& name);
    void filterChanged();
    void copySelection();
    void followChanged();
    void scrollIfFollowing();
    [[nodiscard]] int placeWithout(int firstRemoved, int lastRemoved) const;
    void showCounts();

    LogModel& model_;
    LogFilterModel* filtered_ = nullptr;
    QLineEdit* text_ = nullptr;
    QComboBox* process_ = nullptr;
    QComboBox* level_ = nullptr;
    QCheckBox* follow_ = nullptr;
    QLabel* count_ = nullptr;
    QTableView* table_ = nullptr;
    EmptyState* empty_ = nullptr;
    QWidget* content_ = nullptr;
    int place_ = 0;  ///< Where the scroll bar stands once lines that go are gone.
};

}  // namespace lockstep::ui
