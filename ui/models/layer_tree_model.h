// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <optional>

#include "core/config/document/model_outline.h"
#include "core/config/job/finding.h"
#include "ui/models/network.h"

namespace lockstep::ui {

class JobEditor;

/// The network's outline as a tree: layers, residuals with theirs, blocks, defaults. What is wrong
/// with a row is told by the row.
class LayerTreeModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    enum class Column { Layer, Output, Parameters, Count };
    enum Role {
        SummaryRole = Qt::UserRole + 1,  ///< What is written of its options, in a line.
        ProblemRole,                     ///< The sentence of what is wrong with it; empty: nothing.
        WrongRole,                       ///< Whether that is an error.
        GroupRole,                       ///< Whether it holds rows and is no layer itself.
    };

    LayerTreeModel(JobEditor& editor, Network& network, QObject* parent = nullptr);

    /// Null: the index is of no row.
    [[nodiscard]] const config::OutlineRow* rowOf(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(const config::TomlPath& path) const;
    /// The deepest row that a finding's key belongs to.
    [[nodiscard]] QModelIndex indexOfKey(const std::string& key) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    // Layers are dragged to other places and lists.
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

private:
    void refresh();
    [[nodiscard]] QModelIndex indexAt(int row, int column = 0) const;
    [[nodiscard]] QString titleOf(const config::OutlineRow& row) const;
    [[nodiscard]] QString summaryOf(const config::OutlineRow& row) const;
    [[nodiscard]] QString outputOf(const config::OutlineRow& row) const;
    [[nodiscard]] QString spokenText(const config::OutlineRow& row) const;
    /// The list that `parent` holds, for rows dropped on it; nullopt: it holds none.
    [[nodiscard]] std::optional<config::TomlPath> listBelow(const QModelIndex& parent) const;

    JobEditor& editor_;
    Network& network_;
    config::ModelOutline outline_;
};

/// The finding about a row or what it is given, not about rows below it, in words; null: none.
[[nodiscard]] const config::Finding* findingOf(const JobEditor& editor,
                                               const config::ModelOutline& outline, int row);

}  // namespace lockstep::ui
