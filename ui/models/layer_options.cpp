// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/layer_options.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/model/description/layer_table.h"
#include "core/text/toml_text.h"
#include "ui/style/core_words.h"

namespace lockstep::ui {
namespace {

using config::OutlineRow;
using Kind = OutlineRow::Kind;

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

/// A value as a field shows it: strings without their quotes.
QString shown(const std::string& toml) {
    QString value = text(toml);
    if (value.size() >= 2 && value.startsWith(QLatin1Char('"'))) value = value.mid(1).chopped(1);
    return value;
}

QStringList wordsOf(const model::OptionType& option) {
    if (option.kind == model::OptionKind::Flag)
        return {QStringLiteral("true"), QStringLiteral("false")};
    QStringList words;
    for (const std::string& word : option.words)
        words << text(word);
    return words;
}

/// The block that the row stands in; empty: none.
std::string blockOf(const OutlineRow& row) {
    const bool isInBlock =
        row.path.size() > 3 && row.path[1] == config::TomlPath::value_type("blocks");
    return isInBlock ? std::get<std::string>(row.path[2]) : std::string();
}

class Kinds {
    Q_DECLARE_TR_FUNCTIONS(lockstep::ui::Kinds)
public:
    Kinds(const config::ModelOutline& outline, const OutlineRow& row)
        : outline_(outline), row_(row) {
        const std::string block = blockOf(row);
        if (block.empty()) return;
        for (const std::string& name : outline.parametersOf(block))
            parameters_ << QLatin1Char('$') + text(name);
    }

    std::vector<OptionKind> run() {
        switch (row_.kind) {
            case Kind::Layer:
                addType();
                addCommon(isMerge());
                addTypeOptions(model::findLayerType(row_.type));
                break;
            case Kind::Residual:
                addCommon(false);
                addTypeOptions(&model::residualType());
                break;
            case Kind::BlockUse:
                addUse();
                break;
            case Kind::TypeDefaults:
                addTypeOptions(model::findLayerType(row_.type));
                break;
            default:
                break;
        }
        return std::move(kinds_);
    }

private:
    [[nodiscard]] bool isMerge() const {
        const model::LayerType* type = model::findLayerType(row_.type);
        return type != nullptr && type->isMerge;
    }

    void addType() {
        OptionKind type{QStringLiteral("type"), tr("The kind of layer, as Keras names it."), {}};
        for (const std::string& name : model::layerTypeNames())
            type.words << text(name);
        kinds_.push_back(type);
    }

    void addCommon(bool takesSeveral) {
        kinds_.push_back({QStringLiteral("name"),
                          tr("What its tensors are called after; later layers take its output by "
                             "it."),
                          tr("by its place"),
                          {},
                          true});
        const bool hasInputs = row_.find("inputs") != nullptr;
        if (takesSeveral || hasInputs)
            kinds_.push_back({QStringLiteral("inputs"),
                              tr("The names of the layers that it takes: [\"a\", \"b\"]."),
                              {}});
        if (!takesSeveral || row_.find("input") != nullptr)
            kinds_.push_back({QStringLiteral("input"),
                              tr("The name of the layer that it takes; \"data\" is the sample."),
                              tr("what stands before it"),
                              {},
                              true});
    }

    void addUse() {
        OptionKind block{QStringLiteral("block"), tr("Which block stands there."), {}};
        for (const std::string& name : outline_.blockNames())
            block.words << text(name);
        kinds_.push_back(block);
        addCommon(false);
        kinds_.push_back(
            {QStringLiteral("repeat"), fromCore(model::repeatOption().help), QStringLiteral("1")});
        for (const std::string& name : outline_.parametersOf(row_.type))
            kinds_.push_back(
                {text(name), tr("What “$%1” stands for in the block.").arg(text(name)), {}});
    }

    void addTypeOptions(const model::LayerType* type) {
        if (type == nullptr) return;
        const bool isDefaults = row_.kind == Kind::TypeDefaults;
        const int line = isDefaults ? -1 : outline_.rowAt({"model", "defaults", type->name});
        for (const model::OptionType& option : type->options) {
            OptionKind kind{text(option.name), fromCore(option.help), shown(option.defaultToml),
                            wordsOf(option), option.kind == model::OptionKind::LayerName};
            if (option.defaultToml.empty() && !option.isRequired) kind.byDefault = tr("none");
            if (isDefaults && option.isRequired) kind.byDefault = tr("each its own");
            const config::OutlineOption* given =
                line < 0 ? nullptr : outline_.rows[std::size_t(line)].find(option.name);
            if (given != nullptr) kind.byDefault = text(given->value);
            if (!kind.words.isEmpty()) kind.words += parameters_;
            kinds_.push_back(std::move(kind));
        }
    }

    const config::ModelOutline& outline_;
    const OutlineRow& row_;
    QStringList parameters_;
    std::vector<OptionKind> kinds_;
};

std::string valueForRequired(const model::OptionType& option) {
    if (option.kind == model::OptionKind::IntegerOrFact)
        return option.name == "units" ? "64" : "\"vocabulary\"";
    if (option.kind == model::OptionKind::Sizes) return "[-1]";
    if (option.name == "activation") return "\"relu\"";
    if (option.name == "kernel_size") return "3";
    if (option.name == "rate") return "0.5";
    if (option.name == "num_heads") return "4";
    if (option.kind == model::OptionKind::Integer) return "64";
    return option.name == "mean" || option.name == "offset" ? "0.0" : "1.0";
}

}  // namespace

std::vector<OptionKind> optionsOf(const config::ModelOutline& outline, int row) {
    return Kinds(outline, outline.rows[std::size_t(row)]).run();
}

QStringList strayOptions(const config::ModelOutline& outline, int row) {
    const OutlineRow& each = outline.rows[std::size_t(row)];
    if (each.kind == Kind::Layer && model::findLayerType(each.type) == nullptr) return {};
    const std::vector<OptionKind> kinds = optionsOf(outline, row);
    QStringList stray;
    for (const config::OutlineOption& option : each.options)
        if (std::ranges::find(kinds, text(option.name), &OptionKind::name) == kinds.end())
            stray << text(option.name);
    return stray;
}

std::string newLayer(const std::string& type) {
    const model::LayerType* known = model::findLayerType(type);
    std::string layer = "{ type = " + config::tomlString(type);
    for (const model::OptionType& option :
         known != nullptr ? known->options : std::vector<model::OptionType>())
        if (option.isRequired) layer += ", " + option.name + " = " + valueForRequired(option);
    return layer + " }";
}

std::string newUse(const config::ModelOutline& outline, const std::string& block) {
    std::string use = "{ block = " + config::tomlString(block);
    for (const std::string& name : outline.parametersOf(block))
        use += ", " + name + " = 64";
    return use + " }";
}

}  // namespace lockstep::ui
