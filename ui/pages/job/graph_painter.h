// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/job/graph_layout.h"

class QPainter;

namespace lockstep::ui {

struct Theme;

/// What a box shows besides what it is.
struct BoxMarks {
    bool isMarked = false;  ///< Of the entry that is chosen in the outline.
    bool isChosen = false;  ///< By keys, here.
    bool isFoldable = false;
    bool showsShare = false;  ///< A bar and a tint for GraphBox::share instead of sizes.
};

void paintFrame(QPainter& painter, const GraphFrame& frame, const Theme& theme);
void paintLine(QPainter& painter, const GraphLine& line, const Theme& theme);
void paintBox(QPainter& painter, const GraphBox& box, const GraphPicture& picture,
              const BoxMarks& marks, const Theme& theme);

/// The colours of the bars: memory, work; of shares.
[[nodiscard]] QColor memoryColour(const Theme& theme);
[[nodiscard]] QColor workColour(const Theme& theme);
[[nodiscard]] QColor shareColour(const Theme& theme);

}  // namespace lockstep::ui
