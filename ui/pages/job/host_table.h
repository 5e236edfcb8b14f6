// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/bridge/background_task.h"
#include "ui/models/host_table_model.h"

class QLabel;
class QPushButton;
class QTableView;
class QToolButton;

namespace lockstep::ui {

class HostTextDelegate;

/// The hosts of a job over ssh: a table that is edited in place, what is wrong beneath it while it
/// is typed, and how each host was examined last. Insert adds, Delete removes, Alt with an arrow
/// moves. Without a host it says how to name one.
class HostTable final : public QWidget {
    Q_OBJECT
public:
    explicit HostTable(JobEditor& editor, QWidget* parent = nullptr);

    /// How the hosts were examined last; null: they were not.
    void showChecks(const HostReport& report, bool isOld) { model_.setChecks(report, isOld); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildTable();
    [[nodiscard]] QWidget* buildButtons();
    [[nodiscard]] QToolButton* buildMover(bool up);
    void connectModel();
    bool pressKey(int key, Qt::KeyboardModifiers modifiers);
    void addHost(HostRow::Part part);
    void removeHost();
    void moveHost(int by);
    void readNames();
    void showTyped(const QModelIndex& index, const QString& text);
    void keepPlace();
    void refresh();
    void showButtons();
    void showProblems();

    JobEditor& editor_;
    HostTableModel model_;
    BackgroundTask names_;
    QTableView* table_ = nullptr;
    HostTextDelegate* texts_ = nullptr;
    QLabel* empty_ = nullptr;
    QLabel* problems_ = nullptr;
    QLabel* notes_ = nullptr;
    QPushButton* remove_ = nullptr;
    QToolButton* up_ = nullptr;
    QToolButton* down_ = nullptr;
    int rowsBegun_ = 0;  ///< By addHost(), so far.
    int row_ = -1;       ///< The current row and column as they were before a reset.
    int column_ = 0;
};

}  // namespace lockstep::ui
