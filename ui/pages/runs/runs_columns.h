// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <vector>

class QTableView;

namespace lockstep::ui {

class RunsModel;

/// Which columns of the list of runs there is room for: where the list is too narrow for all, those
/// that say the least give way, until what is left shows its figures whole, and which run it is,
/// and how it ended.
class RunsColumns final : public QObject {
    Q_OBJECT
public:
    /// The table shows the model, filtered, and outlives this.
    RunsColumns(QTableView* table, const RunsModel& model);

    /// Anew, for what the list holds now.
    void fit();
    /// The headings of those that have given way, as they would stand.
    [[nodiscard]] const QStringList& withoutRoom() const { return withoutRoom_; }

    bool eventFilter(QObject* watched, QEvent* event) override;

Q_SIGNALS:
    void withoutRoomChanged(const QStringList& headings);

private:
    [[nodiscard]] std::vector<int> leastFirst() const;
    void showAll();

    QTableView* table_;
    const RunsModel& model_;
    QStringList withoutRoom_;
};

}  // namespace lockstep::ui
