// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <QStringList>

namespace lockstep::ui {

/// The runs that have every word that is typed: in their job's name, status, date or folder, in
/// what the user says of them, or as a value that somebody chose; "learning_rate=0.01" looks at
/// that setting alone, "tag:word" at tags that begin so.
class RunsFilterModel final : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunsFilterModel(QObject* parent = nullptr);

    void setWords(const QString& words);

protected:
    bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QStringList words_;
};

}  // namespace lockstep::ui
