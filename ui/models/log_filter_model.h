// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <optional>

namespace lockstep::ui {

/// The lines of a LogModel that contain a text, come from one process and are grave enough.
class LogFilterModel final : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit LogFilterModel(QObject* parent = nullptr);

    /// `text` is compared without regard to case; empty lets all lines pass. `processKey` as
    /// LogModel::processKey; nullopt lets all processes pass. All lines are looked at once.
    void setFilter(const QString& text, std::optional<int> processKey, int minimumLevel);

protected:
    bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;

private:
    QString text_;
    std::optional<int> process_;
    int minimumLevel_ = 0;
};

}  // namespace lockstep::ui
