// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QStackedLayout;
class QTableView;

namespace lockstep::ui {

class EmptyState;
class LogFilterModel;
class LogModel;

/// The lines of all processes with a filter by text, process and level. Follows the newest line
/// until the user scrolls away.
class LogsPage final : public QWidget {
    Q_OBJECT
public:
    explicit LogsPage(LogModel& model, QWidget* parent = nullptr);

    void focusFilter();

private:
    QWidget* buildFilterBar();
    void buildTable();
    void buildLayout();
    void connectModel();
    void addProcess(int processKey, const QString& name);
    void filterChanged();
    void copySelection();
    void scrollIfFollowing();
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
};

}  // namespace lockstep::ui
