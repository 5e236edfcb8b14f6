// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/model_drawing.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace lockstep::ui {
namespace {

constexpr int kBodyHeight = 72;
constexpr int kColumnWidth = 28;

QString unitsText(int units) {
    return units > 0 ? QString::number(units) : QStringLiteral("?");
}

QString layerName(const config::LayerSpec& layer) {
    const QString type = QString::fromStdString(layer.type);
    return layer.activation == config::Activation::Relu ? type + QStringLiteral(" · relu") : type;
}

}  // namespace

ModelDrawing::ModelDrawing(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("modelDrawing"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ModelDrawing::setModel(const std::vector<config::LayerSpec>& layers, int inputs) {
    columns_.clear();
    columns_.push_back({inputs, tr("input")});
    for (const config::LayerSpec& layer : layers)
        columns_.push_back({layer.units, layerName(layer)});
    QStringList shapes;
    for (const Column& column : columns_)
        shapes << unitsText(column.units);
    setAccessibleName(tr("Network %1").arg(shapes.join(QStringLiteral(" → "))));
    setToolTip(accessibleName());
    update();
}

QSize ModelDrawing::sizeHint() const {
    return {88 * std::max(3, int(columns_.size())), kBodyHeight + 2 * fontMetrics().height() + 16};
}

QSize ModelDrawing::minimumSizeHint() const {
    return {200, sizeHint().height()};
}

QRectF ModelDrawing::bodyOf(std::size_t column) const {
    const double slot = double(width()) / double(columns_.size());
    const double share = std::clamp(std::log2(1.0 + columns_[column].units) / 11.0, 0.15, 1.0);
    const double height = kBodyHeight * share;
    const double centre = slot * (double(column) + 0.5);
    return {centre - kColumnWidth / 2.0, 4 + (kBodyHeight - height) / 2, double(kColumnWidth),
            height};
}

void ModelDrawing::paintEvent(QPaintEvent*) {
    if (columns_.empty()) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawLinks(painter);
    for (std::size_t column = 0; column < columns_.size(); ++column)
        drawColumn(painter, column);
}

void ModelDrawing::drawLinks(QPainter& painter) const {
    QColor colour = palette().color(QPalette::Highlight);
    colour.setAlpha(36);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    for (std::size_t column = 0; column + 1 < columns_.size(); ++column) {
        const QRectF from = bodyOf(column);
        const QRectF to = bodyOf(column + 1);
        painter.drawPolygon(
            QPolygonF({from.topRight(), to.topLeft(), to.bottomLeft(), from.bottomRight()}));
    }
}

void ModelDrawing::drawColumn(QPainter& painter, std::size_t column) const {
    const QRectF body = bodyOf(column);
    QColor fill = palette().color(QPalette::Highlight);
    if (column == 0) fill = palette().color(QPalette::PlaceholderText);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(body, 4, 4);

    const double slot = double(width()) / double(columns_.size());
    const QRectF units(slot * double(column), kBodyHeight + 8, slot, fontMetrics().height());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(units, Qt::AlignCenter, unitsText(columns_[column].units));
    painter.setPen(palette().color(QPalette::PlaceholderText));
    const QRectF name = units.translated(0, fontMetrics().height() + 2);
    painter.drawText(
        name, Qt::AlignCenter,
        fontMetrics().elidedText(columns_[column].name, Qt::ElideRight, int(slot) - 4));
}

}  // namespace lockstep::ui
