// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/cluster_table_model.h"

#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/models/words.h"

namespace lockstep::ui {
namespace {

const auto kAddressesKey = QStringLiteral("cluster.job_addresses");
const auto kEvaluatorKey = QStringLiteral("cluster.evaluator");
const auto kDevicesKey = QStringLiteral("cluster.devices_per_process");

QString quoted(const QString& text) {
    return QString::fromStdString(config::tomlString(text.toStdString()));
}

QStringList addressesOf(const config::ClusterSpec& cluster) {
    QStringList addresses;
    for (const config::Address& address : cluster.jobAddresses) {
        addresses << QString::fromStdString(config::toString(address));
    }
    // With the coordinator's address alone the other processes have none of their own.
    while (addresses.size() < cluster.numProcesses)
        addresses << QString();
    return addresses;
}

}  // namespace

QString devicesWord(const config::ClusterSpec& cluster) {
    return cluster.devicesPerProcess == config::ClusterSpec::kAllDevices
               ? QStringLiteral("all")
               : QString::number(cluster.devicesPerProcess);
}

ClusterTableModel::ClusterTableModel(JobEditor& editor, QObject* parent)
    : QAbstractTableModel(parent), editor_(editor) {
    connect(&editor_, &JobEditor::opened, this, [this] { addresses_.clear(); });
    connect(&editor_, &JobEditor::changed, this, &ClusterTableModel::reload);
    reload();
}

void ClusterTableModel::reload() {
    const config::ClusterSpec& cluster = editor_.spec().cluster;
    const config::Finding* problem = editor_.problemOf(kAddressesKey);
    const bool keepTyped =
        problem != nullptr && problem->severity == config::Severity::Error && !addresses_.isEmpty();
    const QStringList addresses = keepTyped ? addresses_ : addressesOf(cluster);
    const bool sameRows =
        addresses.size() == addresses_.size() && cluster.evaluator == hasEvaluator_;
    if (sameRows) {
        addresses_ = addresses;
        if (rowCount() > 0)
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    addresses_ = addresses;
    hasEvaluator_ = cluster.evaluator;
    endResetModel();
}

void ClusterTableModel::writeAddresses(const QStringList& addresses) {
    QStringList items;
    for (const QString& address : addresses)
        items << quoted(address);
    editor_.setValue(kAddressesKey,
                     QLatin1Char('[') + items.join(QStringLiteral(", ")) + QLatin1Char(']'));
}

void ClusterTableModel::addProcess() {
    QStringList addresses = addresses_;
    const QString last = addresses.isEmpty() ? QString() : addresses.back();
    const qsizetype colon = last.lastIndexOf(QLatin1Char(':'));
    addresses << (colon > 0 ? last.left(colon) : QStringLiteral("127.0.0.1")) +
                     QStringLiteral(":0");
    writeAddresses(addresses);
}

void ClusterTableModel::removeProcess(int row) {
    if (row <= 0 || row >= processCount()) return;
    QStringList addresses = addresses_;
    addresses.removeAt(row);
    writeAddresses(addresses);
}

QString ClusterTableModel::addressText(int row) const {
    if (!isEvaluator(row)) return addresses_[row];
    const auto& address = editor_.spec().cluster.evaluatorAddress;
    return address ? QString::fromStdString(config::toString(*address)) : QString();
}

QString ClusterTableModel::problemKey(int row) const {
    return isEvaluator(row) ? kEvaluatorKey : QStringLiteral("%1[%2]").arg(kAddressesKey).arg(row);
}

int ClusterTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : processCount() + (hasEvaluator_ ? 1 : 0);
}

int ClusterTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant ClusterTableModel::display(int row, Column column) const {
    const config::Finding* problem = editor_.problemOf(problemKey(row));
    switch (column) {
        case Column::Process:
            return isEvaluator(row) ? QStringLiteral("–") : QString::number(row);
        case Column::Role:
            return roleName(isEvaluator(row) ? job::Role::Evaluator : job::Role::Worker, row);
        case Column::Address: {
            const QString address = addressText(row);
            if (!address.isEmpty()) return address;
            return isEvaluator(row) ? tr("with the chief") : tr("from the launcher");
        }
        case Column::Devices:
            return isEvaluator(row) ? QStringLiteral("1") : devicesWord(editor_.spec().cluster);
        case Column::Problem:
            return problem ? sentenceOf(*problem) : QString();
        case Column::Count:
            break;
    }
    return {};
}

QVariant ClusterTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto column = Column(index.column());
    const config::Finding* problem = editor_.problemOf(problemKey(index.row()));
    switch (role) {
        case Qt::DisplayRole:
            return display(index.row(), column);
        case Qt::EditRole:
            return column == Column::Address ? addressText(index.row())
                                             : display(index.row(), column);
        case Qt::ToolTipRole:
            if (problem) return sentenceOf(*problem);
            return column == Column::Address ? tr("host:port; port 0 is chosen at launch")
                                             : QVariant();
        case SeverityRole:
            return problem ? int(problem->severity) : -1;
        default:
            return {};
    }
}

bool ClusterTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable)) return false;
    const QString text = value.toString().trimmed();
    if (text == data(index, Qt::EditRole).toString()) return true;
    if (Column(index.column()) == Column::Devices) {
        editor_.setValue(kDevicesKey, text);
    } else if (isEvaluator(index.row())) {
        editor_.setValue(kEvaluatorKey, text.isEmpty() ? QStringLiteral("true") : quoted(text));
    } else {
        addresses_[index.row()] = text;
        writeAddresses(QStringList(addresses_));
    }
    return true;
}

Qt::ItemFlags ClusterTableModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    const auto column = Column(index.column());
    const bool editable =
        column == Column::Address || (column == Column::Devices && !isEvaluator(index.row()));
    if (index.isValid() && editable && editor_.wellFormed()) flags |= Qt::ItemIsEditable;
    return flags;
}

QVariant ClusterTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignVCenter | Qt::AlignLeft);
    if (role != Qt::DisplayRole) return {};
    switch (Column(section)) {
        case Column::Process:
            return tr("Process");
        case Column::Role:
            return tr("Role");
        case Column::Address:
            return tr("Address");
        case Column::Devices:
            return tr("Replicas");
        case Column::Problem:
            return tr("Problem");
        case Column::Count:
            break;
    }
    return {};
}

}  // namespace lockstep::ui
