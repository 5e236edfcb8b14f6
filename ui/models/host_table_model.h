// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <optional>

#include "ui/models/host_check_model.h"
#include "ui/models/host_rows.h"

namespace lockstep::ui {

class JobEditor;

/// The hosts of a job over ssh, one row each, edited in place: every edit patches the job file's
/// text, and is one step of its undo. A row that has been begun is in no file until its host is
/// named.
class HostTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Host, Processes, Address, Part, Count };
    enum Role {
        SeverityRole = Qt::UserRole + 1,  ///< int(config::Severity) of the row's problem, or -1.
        CheckRole,    ///< int(job::CheckState) of the host as it was examined last, or -1.
        QuietRole,    ///< bool: what is shown is no value of the file.
        CheckedRole,  ///< bool: the hosts were examined, so each has room for what came of it.
    };

    explicit HostTableModel(JobEditor& editor, QObject* parent = nullptr);

    /// "trains"
    [[nodiscard]] static QString partWord(HostRow::Part part);
    [[nodiscard]] const std::vector<HostRow>& rows() const { return rows_; }
    /// How the hosts were examined last, and whether the job has changed since. Null: they were
    /// not.
    void setChecks(const HostReport& report, bool isOld);

    /// Begins a row behind the row `after`, or behind all of its part; returns where it is.
    int beginRow(HostRow::Part part, int after);
    /// Forgets the row that was begun and not named; nothing happens without one.
    void dropBegun();
    [[nodiscard]] std::optional<int> begun() const { return begun_; }

    [[nodiscard]] bool canRemove(int row) const;
    /// The evaluator's row: no evaluator any more. The last host that trains: this machine again.
    void removeHost(int row);
    /// Hosts that train change places among themselves, as spares do.
    [[nodiscard]] bool canMove(int row, int by) const;
    void moveHost(int row, int by);

    /// What would be wrong with the row if `typed` stood in the cell, in the lint's words; empty:
    /// nothing.
    [[nodiscard]] QString problemIf(const QModelIndex& index, const QString& typed) const;
    /// What is wrong with a row as it is; null: nothing.
    [[nodiscard]] const config::Finding* problemOf(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Check {
        job::CheckState state = job::CheckState::Pending;
        QString words;
        bool operator==(const Check&) const = default;
    };

    void reload();
    /// The rows without the one that was begun.
    [[nodiscard]] std::vector<HostRow> namedRows() const;
    void write(const std::vector<HostRow>& rows);
    [[nodiscard]] int trainingRows() const;
    /// The rows with one value changed; nullopt: the cell does not take it.
    [[nodiscard]] std::optional<std::vector<HostRow>> withValue(const QModelIndex& index,
                                                                const QString& value) const;
    void setHost(std::vector<HostRow>& rows, int row, const QString& host) const;
    [[nodiscard]] QString display(const HostRow& row, Column column) const;
    [[nodiscard]] QString toolTip(int row, Column column) const;
    [[nodiscard]] std::optional<Check> checkOf(const QString& host) const;
    [[nodiscard]] QString spoken(int row, Column column) const;

    JobEditor& editor_;
    std::vector<HostRow> rows_;
    std::optional<int> begun_;
    HostReport report_;
    bool reportIsOld_ = false;
};

}  // namespace lockstep::ui
