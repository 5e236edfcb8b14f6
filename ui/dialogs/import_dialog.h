// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <optional>

#include "core/config/cluster/cluster_facts.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace lockstep::ui {

class JobEditor;

/// A cluster as another program describes it, pasted: says while typing what it was understood as,
/// and writes it into the open job as one step that can be undone.
class ImportDialog final : public QDialog {
    Q_OBJECT
public:
    explicit ImportDialog(JobEditor& editor, QWidget* parent = nullptr);

    void setText(const QString& text);

private:
    void read();
    void showVerdict(const QString& verdict, const QStringList& lines);
    void apply();

    JobEditor& editor_;
    QPlainTextEdit* text_;
    QLabel* verdict_;
    QLabel* details_;
    QPushButton* take_;
    std::optional<config::ClusterFacts> facts_;  ///< What the text says, when it was understood.
};

}  // namespace lockstep::ui
