// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/base/result.h"
#include "core/text/toml_path.h"

class QHBoxLayout;
class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace lockstep::config {
struct OutlineRow;
}

namespace lockstep::ui {

class JobEditor;
class LayerInspector;
class LayerTree;
class LayerTreeModel;
class Network;

/// The network of the job, to be built and changed: its outline, what can be done with the row
/// that is chosen, and that row's options. Every edit is one of the job file's text.
class LayerEditor final : public QWidget {
    Q_OBJECT
public:
    LayerEditor(JobEditor& editor, Network& network, QWidget* parent = nullptr);

    /// Chooses the row that a place of the network ("model.layers[2]") belongs to.
    void chooseKey(const std::string& key);

Q_SIGNALS:
    /// The row with this key is chosen; empty: none is.
    void chosen(const QString& key);
    void textRequested(int line);

private:
    QHBoxLayout* buildActions();
    QToolButton* addAction(const char* name, int icon, const QString& words,
                           void (LayerEditor::*act)());
    void fillAddMenu();
    void refresh();
    void showChosen();
    void add(const std::string& layer);
    void addBlock();
    void addDefaults(const std::string& type);
    void addShortcut();
    void moveUp();
    void moveDown();
    void moveBy(int places);
    void duplicate();
    void wrap();
    void remove();
    /// Writes the text, and chooses the row at the path afterwards.
    void apply(const Result<std::string>& text, const QString& what,
               const config::TomlPath& choose);
    /// Null: none is chosen.
    [[nodiscard]] const config::OutlineRow* chosenRow() const;
    [[nodiscard]] bool canRemove(const config::OutlineRow& row) const;

    JobEditor& editor_;
    Network& network_;
    LayerTreeModel* model_ = nullptr;
    LayerTree* tree_ = nullptr;
    LayerInspector* inspector_ = nullptr;
    QLabel* problem_ = nullptr;
    QMenu* addMenu_ = nullptr;
    QPushButton* add_ = nullptr;
    QToolButton* copy_ = nullptr;
    QToolButton* up_ = nullptr;
    QToolButton* down_ = nullptr;
    QToolButton* wrap_ = nullptr;
    QToolButton* remove_ = nullptr;
    QToolButton* fold_ = nullptr;
    QWidget* actions_ = nullptr;
};

}  // namespace lockstep::ui
