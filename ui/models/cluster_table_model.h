// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QStringList>

#include "core/config/job/job_spec.h"

namespace lockstep::ui {

/// How many devices each process has, as the job file writes it: "all" or a number.
[[nodiscard]] QString devicesWord(const config::ClusterSpec& cluster);

class JobEditor;

/// The processes of the job that is open, one row each, the evaluator last. Addresses and devices
/// are edited in place: every edit patches the job file's text.
class ClusterTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Process, Role, Address, Devices, Problem, Count };
    enum Role {
        SeverityRole = Qt::UserRole + 1
    };  ///< int(config::Severity) of the row's problem, or -1.

    explicit ClusterTableModel(JobEditor& editor, QObject* parent = nullptr);

    [[nodiscard]] int processCount() const { return int(addresses_.size()); }
    /// Adds a process on the last one's host with a port chosen at launch.
    void addProcess();
    /// Removes one process; process 0 stays.
    void removeProcess(int row);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void reload();
    void writeAddresses(const QStringList& addresses);
    [[nodiscard]] bool isEvaluator(int row) const { return row == processCount(); }
    [[nodiscard]] QString addressText(int row) const;
    [[nodiscard]] QString problemKey(int row) const;
    [[nodiscard]] QVariant display(int row, Column column) const;

    JobEditor& editor_;
    QStringList addresses_;  ///< As typed, also while one of them is wrong.
    bool hasEvaluator_ = false;
};

}  // namespace lockstep::ui
