// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/layer_tree_model.h"

#include <QMimeData>

#include "core/config/document/model_edit.h"
#include "core/model/description/layer_table.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

using config::OutlineRow;
using Kind = OutlineRow::Kind;

const auto kMime = QStringLiteral("application/x-lockstep-layer");

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

bool isEntry(const OutlineRow& row) {
    return row.kind == Kind::Layer || row.kind == Kind::Residual || row.kind == Kind::BlockUse ||
           row.kind == Kind::Other;
}

/// Whether both trees have the same rows in the same places.
bool sameRows(const config::ModelOutline& a, const config::ModelOutline& b) {
    return a.top == b.top && a.rows.size() == b.rows.size() &&
           std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(),
                      [](const OutlineRow& x, const OutlineRow& y) {
                          return x.rows == y.rows && x.kind == y.kind && x.path == y.path;
                      });
}

}  // namespace

const config::Finding* findingOf(const JobEditor& editor, const config::ModelOutline& outline,
                                 int row) {
    const config::Finding* gravest = nullptr;
    for (const config::Finding& finding : editor.findings()) {
        if (!finding.key.starts_with("model.") || outline.rowOfKey(finding.key) != row) continue;
        if (gravest == nullptr || finding.severity < gravest->severity) gravest = &finding;
    }
    return gravest;
}

LayerTreeModel::LayerTreeModel(JobEditor& editor, Network& network, QObject* parent)
    : QAbstractItemModel(parent), editor_(editor), network_(network) {
    connect(&network_, &Network::changed, this, &LayerTreeModel::refresh);
    refresh();
}

void LayerTreeModel::refresh() {
    if (sameRows(outline_, network_.outline())) {
        outline_ = network_.outline();
        const auto tell = [this](const QModelIndex& parent, const auto& self) -> void {
            const int count = rowCount(parent);
            if (count == 0) return;
            Q_EMIT dataChanged(index(0, 0, parent),
                               index(count - 1, int(Column::Count) - 1, parent));
            for (int row = 0; row < count; ++row)
                self(index(row, 0, parent), self);
        };
        tell({}, tell);
        return;
    }
    beginResetModel();
    outline_ = network_.outline();
    endResetModel();
}

const OutlineRow* LayerTreeModel::rowOf(const QModelIndex& index) const {
    return index.isValid() ? &outline_.rows[std::size_t(index.internalId())] : nullptr;
}

QModelIndex LayerTreeModel::indexAt(int row, int column) const {
    if (row < 0) return {};
    const int parent = outline_.rows[std::size_t(row)].parent;
    const auto& siblings = parent < 0 ? outline_.top : outline_.rows[std::size_t(parent)].rows;
    const auto place = std::ranges::find(siblings, row);
    return createIndex(int(place - siblings.begin()), column, quintptr(row));
}

QModelIndex LayerTreeModel::indexOf(const config::TomlPath& path) const {
    return indexAt(outline_.rowAt(path));
}

QModelIndex LayerTreeModel::indexOfKey(const std::string& key) const {
    return indexAt(outline_.rowOfKey(key));
}

QModelIndex LayerTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    const OutlineRow* above = rowOf(parent);
    const auto& rows = above ? above->rows : outline_.top;
    return createIndex(row, column, quintptr(rows[std::size_t(row)]));
}

QModelIndex LayerTreeModel::parent(const QModelIndex& child) const {
    const OutlineRow* row = rowOf(child);
    return row ? indexAt(row->parent) : QModelIndex();
}

int LayerTreeModel::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0) return 0;
    const OutlineRow* row = rowOf(parent);
    return int(row ? row->rows.size() : outline_.top.size());
}

int LayerTreeModel::columnCount(const QModelIndex&) const {
    return int(Column::Count);
}

QString LayerTreeModel::titleOf(const OutlineRow& row) const {
    switch (row.kind) {
        case Kind::Residual:
            return tr("residual");
        case Kind::Shortcut:
            return tr("shortcut");
        case Kind::Blocks:
            return tr("Blocks");
        case Kind::Defaults:
            return tr("Defaults");
        case Kind::Other:
            return tr("not a layer");
        case Kind::Layer:
        case Kind::BlockUse:
        case Kind::Block:
        case Kind::TypeDefaults:
            break;
    }
    return row.type.empty() ? tr("no type") : text(row.type);
}

QString LayerTreeModel::summaryOf(const OutlineRow& row) const {
    if (row.kind == Kind::Block) {
        QStringList parameters;
        for (const std::string& name : outline_.parametersOf(row.type))
            parameters << QLatin1Char('$') + text(name);
        return listed(parameters);
    }
    if (row.kind == Kind::Blocks) return tr("used by name, with parameters");
    if (row.kind == Kind::Defaults) return tr("for every layer of a type");
    if (row.kind == Kind::Shortcut) return tr("what passes the layers above");
    QStringList words;
    for (const config::OutlineOption& option : row.options) {
        if (option.name == "type" || option.name == "block" || option.name == "name") continue;
        words << text(option.name) + QLatin1Char(' ') + text(option.value);
    }
    return listed(words);
}

QString LayerTreeModel::outputOf(const OutlineRow& row) const {
    return isEntry(row) ? network_.figuresOf(row).output : QString();
}

/// What a reader of screens says of the row.
QString LayerTreeModel::spokenText(const OutlineRow& row) const {
    QStringList words{titleOf(row)};
    if (!row.name.empty()) words << text(row.name);
    if (const QString output = outputOf(row); !output.isEmpty())
        words << tr("gives %1").arg(output);
    return listed(words);
}

QVariant LayerTreeModel::data(const QModelIndex& index, int role) const {
    const OutlineRow* row = rowOf(index);
    if (!row) return {};
    const auto column = Column(index.column());
    const auto finding = [&] { return findingOf(editor_, outline_, int(index.internalId())); };
    switch (role) {
        case Qt::DisplayRole:
            if (column == Column::Output) return outputOf(*row);
            if (column == Column::Parameters) {
                const qint64 parameters = network_.figuresOf(*row).parameters;
                return isEntry(*row) && parameters > 0 ? units::count(parameters) : QString();
            }
            return row->name.empty() || row->kind == Kind::TypeDefaults
                       ? titleOf(*row)
                       : titleOf(*row) + QStringLiteral("  ") + text(row->name);
        case Qt::AccessibleTextRole:
            return column == Column::Layer ? QVariant(spokenText(*row)) : QVariant();
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter |
                       (column == Column::Layer ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ToolTipRole: {
            const config::Finding* problem = finding();
            if (problem) return sentenceOf(*problem, row->key);
            const model::LayerType* type = model::findLayerType(row->type);
            return type && column == Column::Layer ? text(type->help) : summaryOf(*row);
        }
        case SummaryRole:
            return summaryOf(*row);
        case ProblemRole: {
            const config::Finding* problem = finding();
            return problem ? sentenceOf(*problem, row->key) : QString();
        }
        case WrongRole: {
            const config::Finding* problem = finding();
            return problem != nullptr && problem->severity == config::Severity::Error;
        }
        case GroupRole:
            return !isEntry(*row) && row->kind != Kind::TypeDefaults;
        default:
            return {};
    }
}

QVariant LayerTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter |
                   (Column(section) == Column::Layer ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole) return {};
    switch (Column(section)) {
        case Column::Layer:
            return tr("Layer");
        case Column::Output:
            return tr("Output");
        case Column::Parameters:
            return tr("Parameters");
        case Column::Count:
            break;
    }
    return {};
}

Qt::ItemFlags LayerTreeModel::flags(const QModelIndex& index) const {
    const OutlineRow* row = rowOf(index);
    if (!row) return outline_.isListEditable ? Qt::ItemIsDropEnabled : Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsSelectable | Qt::ItemIsEnabled;
    if (isEntry(*row)) flags |= Qt::ItemIsDragEnabled;
    if (!row->list.empty() && row->isListEditable) flags |= Qt::ItemIsDropEnabled;
    return flags;
}

QStringList LayerTreeModel::mimeTypes() const {
    return {kMime};
}

QMimeData* LayerTreeModel::mimeData(const QModelIndexList& indexes) const {
    auto* data = new QMimeData;
    if (!indexes.isEmpty() && indexes.front().isValid())
        data->setData(kMime, QByteArray::number(qlonglong(indexes.front().internalId())));
    return data;
}

std::optional<config::TomlPath> LayerTreeModel::listBelow(const QModelIndex& parent) const {
    const OutlineRow* above = rowOf(parent);
    if (!above) return config::TomlPath{"model", "layers"};
    if (above->list.empty()) return std::nullopt;
    return above->list;
}

bool LayerTreeModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int,
                                     const QModelIndex& parent) const {
    return data->hasFormat(kMime) && listBelow(parent).has_value();
}

bool LayerTreeModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                                  const QModelIndex& parent) {
    if (!canDropMimeData(data, action, row, column, parent)) return false;
    const auto source = std::size_t(data->data(kMime).toLongLong());
    if (source >= outline_.rows.size()) return false;
    const config::TomlPath list = *listBelow(parent);
    // What else stands below a row (a shortcut, the blocks) is no place of its list.
    const auto place = row < 0 ? outline_.rows.size() : std::size_t(row);
    editor_.apply(config::withLayerMoved(editor_.text().toStdString(), outline_.rows[source].path,
                                         list, place),
                  tr("move of a layer"));
    return false;  // the text is what changed: the view removes nothing
}

}  // namespace lockstep::ui
