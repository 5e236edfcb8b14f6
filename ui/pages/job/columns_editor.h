// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "ui/bridge/background_task.h"
#include "ui/models/column_list.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockstep::ui {

class ElidedLabel;

/// The columns of the job's table, as its header has them, and what becomes of each on its way into
/// the network.
class ColumnsEditor final : public QWidget {
    Q_OBJECT
public:
    using Reader = std::function<Result<std::vector<job::TableColumn>>(
        const config::JobSpec& job, const std::filesystem::path& jobFolder)>;

    explicit ColumnsEditor(JobEditor& editor, QWidget* parent = nullptr);

    /// Reads the table's header, on a worker thread.
    void setReader(Reader reader);

private:
    struct Row {
        QLabel* name = nullptr;
        ElidedLabel* example = nullptr;
        QComboBox* kind = nullptr;
        QComboBox* output = nullptr;
        QLineEdit* tokens = nullptr;
        QLabel* problem = nullptr;
    };

    void readTable();
    void refresh();
    void rebuild();
    [[nodiscard]] Row buildRow(int index);
    void fill();
    void fillRow(const Row& row, const ColumnEntry& column);
    void setKind(int index, const QString& kind);
    void setOption(int index, const QString& option, const QString& value);
    void useAll();
    void showNote();

    JobEditor& editor_;
    Reader reader_;
    BackgroundTask reading_;
    QString readFor_;  ///< The table that was read, or is being read.
    std::optional<std::vector<job::TableColumn>> table_;
    QString failure_;
    std::vector<ColumnEntry> columns_;
    std::vector<Row> rows_;
    QStringList builtFor_;
    QGridLayout* grid_ = nullptr;
    QLabel* note_ = nullptr;
    QPushButton* all_ = nullptr;
};

}  // namespace lockstep::ui
