// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace lockstep::ui {

class JobEditor;

/// The layers of the model, one row each, edited in place.
class LayerList final : public QWidget {
    Q_OBJECT
public:
    explicit LayerList(JobEditor& editor, QWidget* parent = nullptr);

private:
    struct Row {
        QWidget* widget = nullptr;
        QLineEdit* units = nullptr;
        QComboBox* activation = nullptr;
    };

    void refresh();
    void matchRows(int count);
    [[nodiscard]] Row buildRow(int index);
    void showLayer(int index);
    void showProblem();
    /// A model that rows cannot edit is told, layer by layer, and left as it is.
    void showDescribed();
    void writeLayers(int removed, bool append);

    JobEditor& editor_;
    QVBoxLayout* rowsLayout_ = nullptr;
    QLabel* problem_ = nullptr;
    QLabel* described_ = nullptr;
    QPushButton* add_ = nullptr;
    std::vector<Row> rows_;
};

}  // namespace lockstep::ui
