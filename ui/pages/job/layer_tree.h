// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>
#include <set>

#include "core/text/toml_path.h"

namespace lockstep::ui {

class LayerTreeModel;

/// The network's outline: residuals and blocks fold, what is wrong with a row stands beneath it.
/// What is folded and what is chosen stay so while the text changes, as far as they are still
/// there.
class LayerTree final : public QTreeView {
    Q_OBJECT
public:
    explicit LayerTree(LayerTreeModel& model, QWidget* parent = nullptr);

    /// The chosen row's path; empty: none is.
    [[nodiscard]] const config::TomlPath& chosen() const { return chosen_; }
    /// Chooses a row, shows it and unfolds what it is in.
    void choose(const config::TomlPath& path);
    void foldAll(bool fold);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosenChanged();
    void removeRequested();

protected:
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const override;
    void drawBranches(QPainter* painter, const QRect& rect,
                      const QModelIndex& index) const override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void restore();
    void restoreBelow(const QModelIndex& parent);
    void note(const QModelIndex& index, bool folded);

    LayerTreeModel& model_;
    config::TomlPath chosen_;
    std::set<std::string> folded_;  ///< By key. What is not named is unfolded.
    bool restoring_ = false;
};

}  // namespace lockstep::ui
