// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/config/document/model_outline.h"

namespace lockstep::ui {

/// What an option of a layer takes.
struct OptionKind {
    QString name;  ///< As the job file has it: "kernel_size".
    QString help;
    QString byDefault;    ///< What holds where nothing is written; empty: it must be given.
    QStringList words{};  ///< Allowed words, and parameters of the block; empty: typed freely.
    bool isText = false;  ///< Always a string, whatever it looks like.

    [[nodiscard]] bool operator==(const OptionKind&) const = default;
};

/// What the row's table may be given, in the order of the table of layers, with the defaults that
/// hold there: of [model.defaults], else of the type.
[[nodiscard]] std::vector<OptionKind> optionsOf(const config::ModelOutline& outline, int row);

/// Keys that are written in the row's table though it has no such option; a change of the type
/// leaves them behind.
[[nodiscard]] QStringList strayOptions(const config::ModelOutline& outline, int row);

/// A layer as a job file has it, with every option that it must be given.
[[nodiscard]] std::string newLayer(const std::string& type);
/// The use of a block, with every parameter that it asks for.
[[nodiscard]] std::string newUse(const config::ModelOutline& outline, const std::string& block);

}  // namespace lockstep::ui
