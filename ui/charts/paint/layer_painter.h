// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

#include "ui/charts/paint/layer.h"
#include "ui/charts/paint/stripe_painter.h"
#include "ui/charts/paint/work_crew.h"
#include "ui/charts/store/smoothing.h"

namespace lockstep::ui {

/// Draws the curves of one chart, again and again. Where points are sparse they are joined by
/// smooth lines; where several share a pixel column, the column shows all from the smallest to
/// the largest, so that no single value is ever lost. Where only points came, only the columns
/// that they touch are drawn anew. For one thread at a time.
class LayerPainter {
public:
    /// The crew helps; `interrupted` cuts smoothing short.
    [[nodiscard]] RenderedLayer paint(LayerRequest request, WorkCrew& crew,
                                      const std::function<bool()>& interrupted);

private:
    /// What a picture was drawn from. Two that differ in the counts alone share their columns up
    /// to the first new point.
    struct Origin {
        struct Line {
            int series = 0;
            QRgb colour = 0;
            bool smoothed = false;
            bool sparse = false;
            bool dotted = false;
            XAxis axis = XAxis::Step;
            bool logX = false;
            double stepsPerEpoch = 0;
            std::uint32_t generation = 0;
            qint64 count = 0;
        };
        QSize pixels;
        qreal ratio = 1;
        AxisRange x;
        AxisRange y;
        bool logY = false;
        double weight = 0;
        QRgb marker = 0;
        std::vector<Line> lines;
    };
    struct Arrangement {
        std::vector<Curve> curves;  ///< From the back to the front.
        Origin origin;
    };

    [[nodiscard]] std::vector<ColumnView> smooth(const LayerRequest& request,
                                                 const std::function<bool()>& interrupted);
    [[nodiscard]] static Arrangement arrange(const LayerRequest& request,
                                             const std::vector<ColumnView>& smoothed, QSize pixels);
    [[nodiscard]] int firstNewColumn(const Arrangement& arrangement) const;
    void draw(const LayerRequest& request, const Arrangement& arrangement, WorkCrew& crew);
    void drawMarkers(const LayerRequest& request, int from);

    Smoother smoother_;
    Origin origin_;
    QImage image_;
    std::vector<quint8> holes_;  ///< By column.
};

}  // namespace lockstep::ui
