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

    /// Compared without regard to case; empty lets all lines pass.
    void setText(const QString& text);
    /// As LogModel::processKey; nullopt lets all processes pass.
    void setProcess(std::optional<int> processKey);
    void setMinimumLevel(int level);

protected:
    bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;

private:
    QString text_;
    std::optional<int> process_;
    int minimumLevel_ = 0;
};

}  // namespace lockstep::ui
