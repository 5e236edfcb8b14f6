// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "core/config/document/model_outline.h"
#include "ui/models/layer_options.h"

class QGridLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace lockstep::ui {

class JobEditor;
class Network;
class OptionField;

/// The options of the row that is chosen in the network's outline, to be changed: first those that
/// are written or must be, then, folded, all others.
class LayerInspector final : public QWidget {
    Q_OBJECT
public:
    LayerInspector(JobEditor& editor, Network& network, QWidget* parent = nullptr);

    /// The row at the path; an empty path: none.
    void showRow(const config::TomlPath& path);

Q_SIGNALS:
    /// The text is to be shown at a line, since what is there cannot be edited here.
    void textRequested(int line);
    /// The block is to be shown, whose use was chosen.
    void blockRequested(const QString& name);
    /// Its fields are others now.
    void rebuilt();

private:
    void refresh();
    void rebuild(const std::vector<OptionKind>& kinds);
    void layOut();
    void fill(int index);
    void write(const OptionKind& kind, const QString& value);
    void clear(const OptionKind& kind);
    void rename(const QString& name);
    void removeStray();
    [[nodiscard]] QString titleOf(const config::OutlineRow& row) const;
    [[nodiscard]] bool isFirst(const OptionKind& kind, const config::OutlineRow& row) const;

    JobEditor& editor_;
    Network& network_;
    config::TomlPath path_;
    QLabel* title_ = nullptr;
    QLabel* problem_ = nullptr;
    QLabel* note_ = nullptr;
    QPushButton* stray_ = nullptr;
    QPushButton* showText_ = nullptr;
    QPushButton* showBlock_ = nullptr;
    QToolButton* more_ = nullptr;
    QGridLayout* grid_ = nullptr;
    config::TomlPath builtFor_;
    std::vector<OptionField*> fields_;
    /// A name that is being typed, and the text before its first letter and behind its last.
    struct Renaming {
        config::TomlPath path;
        std::string before;
        std::string after;
    };
    Renaming renamed_;
    std::vector<bool> first_;  ///< Of each field: whether it is shown without the others.
};

}  // namespace lockstep::ui
