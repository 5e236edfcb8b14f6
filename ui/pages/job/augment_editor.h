// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/augment_list.h"

class QComboBox;
class QLabel;
class QVBoxLayout;

namespace lockstep::ui {

class JobEditor;
class OptionField;

/// The random changes of training images, one after the other: each with its options, to be added,
/// removed and brought into another order.
class AugmentEditor final : public QWidget {
    Q_OBJECT
public:
    explicit AugmentEditor(JobEditor& editor, QWidget* parent = nullptr);

private:
    /// What is shown of one of the changes.
    struct Row {
        QWidget* widget = nullptr;
        QLabel* problem = nullptr;
        std::vector<OptionField*> fields;
    };

    void refresh();
    void rebuild(const AugmentList& list);
    [[nodiscard]] Row buildRow(const AugmentEntry& entry, int index, int count);
    [[nodiscard]] QWidget* buildHead(const AugmentEntry& entry, int index, int count, QWidget* row);
    void fill(const AugmentList& list);
    void add();
    void remove(int index);
    void shift(int index, int by);
    void write(int index, const QString& option, const QString& value);
    void clear(int index, const QString& option);

    JobEditor& editor_;
    QVBoxLayout* rows_ = nullptr;
    QLabel* note_ = nullptr;
    QComboBox* add_ = nullptr;
    std::vector<Row> shown_;
    QStringList builtFor_;  ///< The types of the rows.
};

}  // namespace lockstep::ui
