// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/network.h"

#include <QStringList>
#include <algorithm>

#include "core/config/job/model_spec.h"
#include "core/config/lint/known_dataset.h"
#include "core/model/build_graph.h"
#include "ui/models/data_text.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr std::int64_t kSupposedClasses = 10;
constexpr std::int64_t kBytes = 256;

/// What is known of data without reading them, with what has to be supposed; nullopt: too little.
std::optional<model::DataFacts> supposedFacts(const config::DataSpec& data) {
    if (data.dataset == "image_folder" && data.imageSize.height > 0)
        return model::DataFacts{.input = {data.imageSize.height, data.imageSize.width,
                                          data.color == config::ImageColor::Grey ? 1 : 3},
                                .columns = {},
                                .classes = kSupposedClasses};
    if (data.dataset == "text" && data.text.sequenceLength > 0)
        return model::DataFacts{.input = {data.text.sequenceLength},
                                .columns = {},
                                .classes = kBytes,
                                .vocabulary = kBytes};
    return std::nullopt;
}

/// "8 numbers and the column ocean_proximity, 6 classes".
QString wordsOf(const model::DataFacts& facts) {
    const bool isRow = facts.input.size() == 1 && facts.input.front() != 1;
    QString sample = shapeText(facts.input);
    if (isRow)
        sample = (facts.vocabulary > 0 ? Network::tr("%1 tokens") : Network::tr("%1 numbers"))
                     .arg(sample);
    QStringList columns;
    for (const model::Column& column : facts.columns)
        columns << QString::fromStdString(column.name);
    if (!columns.isEmpty())
        sample = (columns.size() == 1 ? Network::tr("%1 and the column %2")
                                      : Network::tr("%1 and the columns %2"))
                     .arg(sample, listed(columns));
    QStringList words{sample};
    if (facts.classes > 0 && facts.vocabulary == 0)
        words << Network::tr("%1 classes").arg(facts.classes);
    if (facts.vocabulary > 0) words << Network::tr("vocabulary of %1").arg(facts.vocabulary);
    return listed(words);
}

std::size_t entriesIn(const std::vector<model::Entry>& entries) {
    std::size_t count = entries.size();
    for (const model::Entry& entry : entries)
        count += entriesIn(entry.layers) + entriesIn(entry.shortcut);
    return count;
}

/// Layers, residuals and uses of blocks, wherever they are.
std::size_t entriesOf(const model::Description& description) {
    std::size_t count = entriesIn(description.layers);
    for (const model::Block& block : description.blocks)
        count += entriesIn(block.layers);
    return count;
}

/// The same as the text has them: more, where some of them say what cannot be understood.
std::size_t entriesOf(const config::ModelOutline& outline) {
    using Kind = config::OutlineRow::Kind;
    return std::size_t(std::ranges::count_if(outline.rows, [](const config::OutlineRow& row) {
        return row.kind == Kind::Layer || row.kind == Kind::Residual ||
               row.kind == Kind::BlockUse || row.kind == Kind::Other;
    }));
}

}  // namespace

QString shapeText(const model::Shape& shape) {
    if (shape.empty()) return Network::tr("1 number");
    QStringList sizes;
    for (const std::int64_t size : shape)
        sizes << QString::number(size);
    return sizes.join(QStringLiteral(" × "));
}

Network::Network(JobEditor& editor, QObject* parent) : QObject(parent), editor_(editor) {
    connect(&editor_, &JobEditor::changed, this, &Network::refresh);
    connect(&editor_, &JobEditor::opened, this, [this] {
        graph_ = {};  // another job's network is no stand-in
        parts_.clear();
    });
    refresh();
}

void Network::setFacts(const std::optional<model::DataFacts>& facts, const QString& why) {
    if (!facts && !facts_ && why == whyNot_) return;
    facts_ = facts;
    whyNot_ = why;
    refresh();
}

void Network::setReadFacts(const model::DataFacts& facts) {
    readFacts_ = facts;
    readText_ = editor_.folder() + sourceTextOf(editor_.spec());
    refresh();
}

void Network::refresh() {
    if (editor_.hasJob() && editor_.wellFormed()) {
        const std::string text = editor_.text().toStdString();
        if (const auto root = config::parseToml(text)) outline_ = config::outlineOf(text, *root);
        build();
    }
    Q_EMIT changed();
}

std::optional<model::DataFacts> Network::facts() {
    const config::DataSpec& data = editor_.spec().data;
    auto facts = config::knownFacts(data);
    if (!facts) facts = facts_;
    const bool isRead = readFacts_ && readText_ == editor_.folder() + sourceTextOf(editor_.spec());
    if (!facts && isRead) facts = readFacts_;
    const bool isKnown = facts.has_value();
    if (!facts) facts = supposedFacts(data);
    dataWords_ = facts ? wordsOf(*facts) : QString();
    if (facts && !isKnown)
        dataWords_ = tr("%1 (supposed: the data were not found yet)").arg(dataWords_);
    return facts;
}

void Network::build() {
    problem_.clear();
    const config::ModelSpec& model = editor_.spec().model;
    const config::Finding* finding = editor_.problemOf(QStringLiteral("model"));
    const bool isWrong = finding != nullptr && finding->severity == config::Severity::Error;
    if (isWrong) problem_ = sentenceOf(*finding);
    const auto data = facts();
    const model::Description description = config::descriptionOf(model);
    if (description.layers.empty()) return;
    if (!data) {
        if (!isWrong)
            problem_ = whyNot_.isEmpty()
                           ? tr("What the data are like is not known yet.")
                           : tr("What the data are like is not known yet: %1").arg(whyNot_);
        return;
    }
    auto graph = model::buildGraph(description, *data);
    if (!graph) {
        if (!isWrong)
            problem_ = sentenceOf(config::Finding{config::Severity::Error,
                                                  graph.error().place.path,
                                                  0,
                                                  0,
                                                  model::sentenceOf(graph.error()),
                                                  graph.error().remedy,
                                                  {}});
        return;
    }
    graph_ = std::move(*graph);
    columns_.clear();
    for (const model::Column& column : data->columns)
        columns_ << QString::fromStdString(column.name);
    parts_ = model::partsOf(description, graph_);
    // A network that does not fit its data is drawn, too.
    if (isWrong && entriesOf(description) == entriesOf(outline_)) problem_.clear();
}

Network::Figures Network::figuresOf(const config::OutlineRow& row) const {
    Figures figures;
    if (!problem_.isEmpty()) return figures;  // the graph is of another text
    std::vector<const model::Shape*> shapes;
    addFigures(parts_, row, figures, shapes);
    if (shapes.size() == 1) figures.output = shapeText(*shapes.front());
    if (shapes.size() > 1) figures.output = tr("%1 shapes").arg(shapes.size());
    return figures;
}

void Network::addFigures(const std::vector<model::Part>& parts, const config::OutlineRow& row,
                         Figures& figures, std::vector<const model::Shape*>& shapes) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const model::Part& part = parts[i];
        if (part.place != row.key) {
            addFigures(part.body, row, figures, shapes);
            addFigures(part.shortcut, row, figures, shapes);
            continue;
        }
        const model::PartTotals totals = model::totalsOf(part, graph_);
        figures.parameters += totals.parameters;
        figures.layers += totals.layers;
        const int last = model::lastLayerOf(part);
        // Of a block that is repeated, what the last one gives.
        const bool isRepeated = i + 1 < parts.size() && parts[i + 1].place == row.key;
        if (last < 0 || isRepeated) continue;
        const model::Shape& output = graph_.layers[std::size_t(last)].output;
        const bool isNew =
            std::ranges::none_of(shapes, [&output](const auto* each) { return *each == output; });
        if (isNew) shapes.push_back(&output);
    }
}

}  // namespace lockstep::ui
