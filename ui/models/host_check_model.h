// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "core/job/doctor.h"

namespace lockstep::ui {

using HostReport = std::shared_ptr<const job::DoctorView>;

/// The matrix of the doctor: a row a host, a column a check, the host's name first.
class HostCheckModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        StateRole = Qt::UserRole + 1,  ///< int(job::CheckState); absent for names.
        DetailRole,                    ///< QString
    };

    explicit HostCheckModel(QObject* parent = nullptr);

    /// Null empties it. Where hosts stay the same, so does the selection.
    void setReport(HostReport report);
    [[nodiscard]] const HostReport& report() const { return report_; }
    /// The problems of a cell; those of the whole host for its name.
    [[nodiscard]] std::vector<const job::HostProblem*> problemsAt(const QModelIndex& index) const;
    /// The cell of the gravest problem; invalid: there is none.
    [[nodiscard]] QModelIndex gravestCell() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QVariant nameData(const job::HostChecks& host, int role) const;
    [[nodiscard]] QVariant checkData(const job::HostChecks& host, int column, int role) const;

    HostReport report_;
};

/// "fails", "ok": for what cannot show the icon.
[[nodiscard]] QString stateWord(job::CheckState state);

}  // namespace lockstep::ui
