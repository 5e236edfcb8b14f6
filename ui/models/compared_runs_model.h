// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIdentityProxyModel>
#include <functional>

namespace lockstep::ui {

/// Runs that are compared, as RunsModel lists them: the folder's cell has the colour of the run's
/// curves, and is checked while they are shown.
class ComparedRunsModel final : public QIdentityProxyModel {
    Q_OBJECT
public:
    /// `colourOf`: of a row's curves, asked while painting.
    explicit ComparedRunsModel(std::function<QColor(int)> colourOf, QObject* parent = nullptr);

    /// Why a run is not drawn, a sentence; empty: it is.
    void setProblem(int row, const QString& problem);
    void showAll();

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

Q_SIGNALS:
    void shownChanged(int row, bool shown);

private:
    std::function<QColor(int)> colourOf_;
    QHash<int, QString> problems_;
    QSet<int> hidden_;
};

}  // namespace lockstep::ui
