// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "core/config/job/job_spec.h"

namespace lockstep::ui {

/// The network as a row of columns, one a layer, with its units below and what lies between them
/// above: 784 → 256 → 256 → 10. As high as the logarithm of the units.
class ModelDrawing final : public QWidget {
    Q_OBJECT
public:
    explicit ModelDrawing(QWidget* parent = nullptr);

    /// `inputs` and `classes` of the data set; 0: unknown.
    void setModel(const std::vector<config::LayerSpec>& layers, int inputs);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Column {
        int units = 0;
        QString name;
    };
    [[nodiscard]] QRectF bodyOf(std::size_t column) const;
    void drawLinks(QPainter& painter) const;
    void drawColumn(QPainter& painter, std::size_t column) const;

    std::vector<Column> columns_;
};

}  // namespace lockstep::ui
