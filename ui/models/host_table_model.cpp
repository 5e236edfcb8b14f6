// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/host_table_model.h"

#include <algorithm>

#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/lint/ssh_destination.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/style/core_words.h"

namespace lockstep::ui {
namespace {

using Part = HostRow::Part;

/// The gravest of some keys, of several the first key's; null: none.
const config::Finding* gravestOf(const std::vector<config::Finding>& findings,
                                 const QStringList& keys) {
    const config::Finding* gravest = nullptr;
    for (const QString& key : keys)
        for (const config::Finding& finding : findings)
            if (QString::fromStdString(finding.key) == key &&
                (!gravest || finding.severity < gravest->severity))
                gravest = &finding;
    return gravest;
}

bool isOfHosts(const config::Finding& finding) {
    return finding.key.starts_with("launch.hosts[") || finding.key.starts_with("launch.spares[") ||
           finding.key.starts_with("cluster.job_addresses[");
}

/// The address of another host, with the same port.
QString withHost(const QString& address, const QString& host) {
    const auto parsed = config::parseAddress(address.toStdString());
    const config::Address moved{host.toStdString(), parsed ? parsed->port : 0};
    return QString::fromStdString(config::toString(moved));
}

void renumber(std::vector<HostRow>& rows) {
    int process = 0;
    int spare = 0;
    for (HostRow& row : rows) {
        row.first = row.part == Part::Spare ? spare++ : process;
        if (row.part == Part::Trains) process += row.processes;
    }
}

}  // namespace

HostTableModel::HostTableModel(JobEditor& editor, QObject* parent)
    : QAbstractTableModel(parent), editor_(editor) {
    connect(&editor_, &JobEditor::changed, this, &HostTableModel::reload);
    reload();
}

std::vector<HostRow> HostTableModel::namedRows() const {
    std::vector<HostRow> rows = rows_;
    if (begun_) rows.erase(rows.begin() + *begun_);
    return rows;
}

void HostTableModel::reload() {
    // While the text is no TOML the rows stay what they were.
    const std::vector<HostRow> rows = editor_.wellFormed() ? hostRowsOf(editor_) : namedRows();
    if (begun_ && rows == namedRows()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    if (rows.size() != rows_.size()) {
        beginResetModel();
        begun_.reset();
        rows_ = rows;
        endResetModel();
        return;
    }
    rows_ = rows;
    begun_.reset();
    if (!rows_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void HostTableModel::setChecks(const HostReport& report, bool isOld) {
    std::vector<std::optional<Check>> before;
    for (const HostRow& row : rows_)
        before.push_back(checkOf(row.host));
    const bool isOther = (report_ != nullptr) != (report != nullptr);
    report_ = report;
    reportIsOld_ = isOld;
    if (isOther && !rows_.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0), {CheckedRole});
    for (int row = 0; row < rowCount(); ++row)
        if (checkOf(rows_[std::size_t(row)].host) != before[std::size_t(row)])
            Q_EMIT dataChanged(index(row, 0), index(row, 0),
                               {CheckRole, Qt::ToolTipRole, Qt::AccessibleTextRole});
}

int HostTableModel::trainingRows() const {
    return int(std::ranges::count(rows_, Part::Trains, &HostRow::part));
}

void HostTableModel::write(const std::vector<HostRow>& rows) {
    editor_.apply(withHostRows(editor_, rows), tr("change of the hosts"));
}

int HostTableModel::beginRow(Part part, int after) {
    dropBegun();
    const bool isAmong = after >= 0 && after < rowCount() && rows_[std::size_t(after)].part == part;
    const int place = isAmong ? after + 1 : part == Part::Trains ? trainingRows() : rowCount();
    beginInsertRows({}, place, place);
    rows_.insert(rows_.begin() + place, HostRow{part, {}, {}});
    begun_ = place;
    endInsertRows();
    return place;
}

void HostTableModel::dropBegun() {
    if (!begun_) return;
    beginRemoveRows({}, *begun_, *begun_);
    rows_.erase(rows_.begin() + *begun_);
    begun_.reset();
    endRemoveRows();
}

bool HostTableModel::canRemove(int row) const {
    return row >= 0 && row < rowCount() && editor_.wellFormed();
}

void HostTableModel::removeHost(int row) {
    if (!canRemove(row)) return;
    if (row == begun_) return dropBegun();
    std::vector<HostRow> rows = rows_;
    const bool wasLast = rows[std::size_t(row)].part == Part::Trains && trainingRows() == 1;
    rows.erase(rows.begin() + row);
    if (wasLast) std::erase_if(rows, [](const HostRow& each) { return each.part == Part::Scores; });
    write(rows);
}

bool HostTableModel::canMove(int row, int by) const {
    const int to = row + by;
    return canRemove(row) && !begun_ && to >= 0 && to < rowCount() &&
           rows_[std::size_t(row)].part == rows_[std::size_t(to)].part;
}

void HostTableModel::moveHost(int row, int by) {
    if (!canMove(row, by)) return;
    std::vector<HostRow> rows = rows_;
    std::swap(rows[std::size_t(row)], rows[std::size_t(row + by)]);
    write(rows);
}

/// An evaluator's host is one of the workers', or has an address alone. A worker's address that
/// names the host of its destination goes on doing so, and takes the evaluator on it along.
void HostTableModel::setHost(std::vector<HostRow>& rows, int row, const QString& host) const {
    HostRow& changed = rows[std::size_t(row)];
    const QString name = hostOfDestination(host);
    if (changed.part == Part::Scores) {
        const auto known = std::ranges::find_if(rows, [&host](const HostRow& each) {
            return each.part == Part::Trains && each.host == host;
        });
        const bool isLogin = !changed.address.isEmpty() && name == hostOfDestination(changed.host);
        // Where the file has the coordinator's address alone, theirs are not known.
        if (known != rows.end() && !known->address.isEmpty())
            changed.address = fullAddress(hostOfAddress(known->address));
        else if (!isLogin)
            changed.address = fullAddress(name);
    }
    const QString before = hostOfAddress(changed.address);
    const bool isAlike = before == hostOfDestination(changed.host);
    const bool moves = changed.part == Part::Trains && (row == begun_ || isAlike);
    const bool isFollowed = changed.part == Part::Trains && row != begun_;
    for (HostRow& each : rows) {
        const bool isThere = each.part == Part::Scores && hostOfAddress(each.address) == before;
        if (!isFollowed || !isThere) continue;
        if (each.host == changed.host) each.host = host;
        if (moves) each.address = withHost(each.address, name);
    }
    if (moves) {
        // What is no host's name is said of the host, not of its address.
        const QString moved = withHost(changed.address, name);
        if (config::parseAddress(moved.toStdString())) changed.address = moved;
    }
    changed.host = host;
}

std::optional<std::vector<HostRow>> HostTableModel::withValue(const QModelIndex& index,
                                                              const QString& value) const {
    std::vector<HostRow> rows = rows_;
    HostRow& row = rows[std::size_t(index.row())];
    switch (Column(index.column())) {
        case Column::Host:
            if (value.isEmpty()) return std::nullopt;
            setHost(rows, index.row(), value);
            break;
        case Column::Processes:
            row.processes = std::clamp(value.toInt(), 1, config::kMostProcesses);
            break;
        case Column::Address:
            if (row.part == Part::Scores) {
                giveEvaluatorAddress(editor_, rows, fullAddress(value));
                break;
            }
            row.address = value.isEmpty() && row.part == Part::Trains
                              ? fullAddress(hostOfDestination(row.host))
                              : fullAddress(value);
            break;
        case Column::Part: {
            HostRow moved = row;
            moved.part = value == partWord(Part::Spare) ? Part::Spare : Part::Trains;
            moved.processes = 1;
            moved.address = fullAddress(hostOfDestination(moved.host));
            rows.erase(rows.begin() + index.row());
            const auto place = moved.part == Part::Spare
                                   ? rows.end()
                                   : std::ranges::find_if_not(rows, [](const HostRow& each) {
                                         return each.part == Part::Trains;
                                     });
            rows.insert(place, moved);
            break;
        }
        case Column::Count:
            return std::nullopt;
    }
    renumber(rows);
    return rows;
}

QString HostTableModel::problemIf(const QModelIndex& index, const QString& typed) const {
    const auto rows = withValue(index, typed.trimmed());
    if (!rows) return {};
    const auto text = withHostRows(editor_, *rows);
    if (!text) return fromCore(text.error().message);
    const auto document = config::JobDocument::lenient(*text, editor_.fileName().toStdString());
    const auto& findings = document.findings();
    const config::Finding* own = gravestOf(findings, keysOf((*rows)[std::size_t(index.row())]));
    if (own && own->severity == config::Severity::Error) return sentenceOf(*own);
    // Of two that are one host the later is at fault, which may be another row's.
    for (const config::Finding& each : findings)
        if (each.severity == config::Severity::Error && isOfHosts(each) &&
            std::ranges::find(editor_.findings(), each.message, &config::Finding::message) ==
                editor_.findings().end())
            return sentenceOf(each);
    return {};
}

const config::Finding* HostTableModel::problemOf(int row) const {
    if (row == begun_) return nullptr;
    return gravestOf(editor_.findings(), keysOf(rows_[std::size_t(row)]));
}

int HostTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int HostTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant HostTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto column = Column(index.column());
    const HostRow& row = rows_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return display(row, column);
        case Qt::EditRole:
            if (column == Column::Address) return shownAddress(row.address);
            return column == Column::Processes ? QVariant(row.processes) : display(row, column);
        case Qt::ToolTipRole:
            return toolTip(index.row(), column);
        case Qt::AccessibleTextRole:
            return spoken(index.row(), column);
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter |
                       (column == Column::Processes ? Qt::AlignRight : Qt::AlignLeft));
        case SeverityRole: {
            const config::Finding* problem = problemOf(index.row());
            return problem ? int(problem->severity) : -1;
        }
        case CheckRole: {
            const auto check = column == Column::Host ? checkOf(row.host) : std::nullopt;
            return check ? int(check->state) : -1;
        }
        case CheckedRole:
            return report_ != nullptr;
        case QuietRole:
            return column == Column::Address &&
                   (row.address.isEmpty() || shownAddress(row.address) == row.host);
        default:
            return {};
    }
}

bool HostTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable)) return false;
    const QString text = value.toString().trimmed();
    if (index.row() != begun_ && text == data(index, Qt::EditRole).toString()) return true;
    const auto rows = withValue(index, text);
    if (!rows) return false;
    write(*rows);
    return true;
}

Qt::ItemFlags HostTableModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid() || index.row() >= rowCount() || !editor_.wellFormed()) return flags;
    const HostRow& row = rows_[std::size_t(index.row())];
    bool edits = true;
    if (Column(index.column()) == Column::Processes)
        edits = row.part == Part::Trains &&
                (row.address.isEmpty() || row.address.endsWith(QLatin1String(":0")));
    if (Column(index.column()) == Column::Address)
        edits = row.part != Part::Spare && row.takesAddress;
    if (Column(index.column()) == Column::Part)
        edits = row.part == Part::Spare || (row.part == Part::Trains && trainingRows() > 1);
    if (index.row() == begun_) edits = Column(index.column()) == Column::Host;
    return edits ? flags | Qt::ItemIsEditable : flags;
}

}  // namespace lockstep::ui
