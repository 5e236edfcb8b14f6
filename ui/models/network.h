// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/config/document/model_outline.h"
#include "core/model/data_facts.h"
#include "core/model/graph.h"
#include "core/model/parts.h"

namespace lockstep::ui {

class JobEditor;

/// The network of the open job: as its file writes it, and what that gives for the data, as far as
/// they are known. Follows the editor.
class Network final : public QObject {
    Q_OBJECT
public:
    explicit Network(JobEditor& editor, QObject* parent = nullptr);

    /// Of the last text that was TOML.
    [[nodiscard]] const config::ModelOutline& outline() const { return outline_; }
    /// Of the last text that was a network; empty before the first.
    [[nodiscard]] const model::Graph& graph() const { return graph_; }
    [[nodiscard]] const std::vector<model::Part>& parts() const { return parts_; }
    /// Why the present text gives no network; empty: graph() is of the present text.
    [[nodiscard]] const QString& problem() const { return problem_; }
    /// "28 x 28 x 1, 10 classes"; what is supposed, since nobody knows it yet, is said.
    [[nodiscard]] const QString& dataWords() const { return dataWords_; }

    /// The data's named columns, in their order.
    [[nodiscard]] const QStringList& columns() const { return columns_; }

    /// What the layers that a row stands for give and have, all uses of its block together; nothing
    /// while the text gives no network.
    struct Figures {
        QString output;  ///< "16 x 16 x 64", "2 shapes"; empty: not known.
        qint64 parameters = 0;
        int layers = 0;
    };
    [[nodiscard]] Figures figuresOf(const config::OutlineRow& row) const;

    /// What the data of the job are like, as the disk says; nullopt: it says nothing, and why.
    void setFacts(const std::optional<model::DataFacts>& facts, const QString& why = {});
    /// The same as somebody who read all of the data found it: until the job's data change.
    void setReadFacts(const model::DataFacts& facts);

Q_SIGNALS:
    /// The text, the network or the data changed.
    void changed();

private:
    void refresh();
    void build();
    void addFigures(const std::vector<model::Part>& parts, const config::OutlineRow& row,
                    Figures& figures, std::vector<const model::Shape*>& shapes) const;
    [[nodiscard]] std::optional<model::DataFacts> facts();

    JobEditor& editor_;
    config::ModelOutline outline_;
    model::Graph graph_;
    std::vector<model::Part> parts_;
    std::optional<model::DataFacts> facts_;
    QString whyNot_;  ///< There are none of the disk's.
    std::optional<model::DataFacts> readFacts_;
    QString readText_;  ///< Of the job whose data were read.
    QStringList columns_;
    QString problem_;
    QString dataWords_;
};

/// "28 x 28 x 1" with our signs: "28 × 28 × 1".
[[nodiscard]] QString shapeText(const model::Shape& shape);

}  // namespace lockstep::ui
