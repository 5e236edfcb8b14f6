// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "ui/models/layer_options.h"

namespace lockstep::ui {

class JobEditor;

/// A random change of images as the job file writes it, be it right or wrong.
struct AugmentEntry {
    struct Option {
        OptionKind kind;
        std::optional<QString> value;  ///< Without quotes; nullopt: it is not written.
    };
    QString type;
    std::vector<Option> options;
    QStringList stray;  ///< Keys that are written though the type has none of them.
};

/// data.augment of the open job. `isEditable`: written in brackets, or not at all.
struct AugmentList {
    std::vector<AugmentEntry> entries;
    bool isEditable = true;
};
[[nodiscard]] AugmentList augmentListOf(const JobEditor& editor);

/// The types there are, and what one does.
[[nodiscard]] QStringList augmentTypes();
[[nodiscard]] QString augmentHelp(const QString& type);
/// A change of this type as a job file has it, with what it must be given.
[[nodiscard]] std::string newAugment(const QString& type);

}  // namespace lockstep::ui
