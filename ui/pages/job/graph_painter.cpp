// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/graph_painter.h"

#include <QPainter>
#include <algorithm>

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr qreal kStripe = 5;
constexpr qreal kBar = 64;
constexpr qreal kBarHeight = 4;
constexpr qreal kRound = 6;
constexpr qreal kLeastLabel = 56;
constexpr qreal kShareNumber = 48;
constexpr qreal kWarmest = 0.35;  ///< How much of the colour a box has that has all.

/// Which of the theme's colours a type's stripe has: kinds of work, told by their names as well.
int familyOf(const QString& type) {
    const auto has = [&type](const char* part) { return type.contains(QLatin1String(part)); };
    if (has("conv")) return 0;
    if (has("norm")) return 2;
    if (has("pooling") || has("sampling") || has("padding")) return 4;
    if (has("attention")) return 6;
    if (has("dense") || has("embedding")) return 1;
    return -1;
}

QColor stripeColour(const GraphBox& box, const Theme& theme) {
    if (box.kind == GraphBox::Kind::Block) return theme.accent;
    const int family = familyOf(box.title);
    return family < 0 ? theme.textDisabled : theme.seriesColour(family);
}

void paintBar(QPainter& painter, const QPointF& at, double share, const QColor& colour,
              const Theme& theme) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.grid);
    painter.drawRoundedRect(QRectF(at, QSizeF(kBar, kBarHeight)), 2, 2);
    if (share <= 0) return;
    painter.setBrush(colour);
    painter.drawRoundedRect(QRectF(at, QSizeF(std::max(2.0, kBar * share), kBarHeight)), 2, 2);
}

/// "34 %" beside a bar that is full where a box has all there is.
void paintShare(QPainter& painter, const GraphBox& box, const QPointF& at, const Theme& theme) {
    paintBar(painter, at + QPointF(0, 5.5), box.share, shareColour(theme), theme);
    painter.setPen(theme.text);
    painter.drawText(QRectF(at.x() - kShareNumber - 6, at.y(), kShareNumber, 16),
                     Qt::AlignRight | Qt::AlignVCenter,
                     units::percent(box.share, box.share > 0 && box.share < 0.0995 ? 1 : 0));
}

/// The more of the whole, the warmer.
QColor fillOf(const GraphBox& box, const BoxMarks& marks, const Theme& theme) {
    if (marks.isMarked) return theme.accentSoft;
    if (box.kind == GraphBox::Kind::Input) return theme.window;
    return marks.showsShare ? mixed(theme.raised, shareColour(theme), kWarmest * box.share)
                            : theme.raised;
}

void paintSum(QPainter& painter, const GraphBox& box, const BoxMarks& marks, const Theme& theme) {
    painter.setPen(QPen(marks.isMarked || marks.isChosen ? theme.accent : theme.textSecondary,
                        marks.isMarked || marks.isChosen ? 2 : 1.2));
    painter.setBrush(theme.surface);
    painter.drawEllipse(box.rect.adjusted(2, 2, -2, -2));
    const QPointF centre = box.rect.center();
    constexpr qreal kArm = 5;
    painter.drawLine(centre - QPointF(kArm, 0), centre + QPointF(kArm, 0));
    painter.drawLine(centre - QPointF(0, kArm), centre + QPointF(0, kArm));
    painter.setFont(smallFont());
    painter.setPen(theme.textSecondary);
    painter.drawText(QRectF(box.rect.left() - 138, box.rect.top(), 132, box.rect.height()),
                     Qt::AlignRight | Qt::AlignVCenter, box.shape);
}

QString figuresText(const GraphBox& box) {
    QStringList words;
    if (box.kind == GraphBox::Kind::Block)
        words << (box.layers == 1 ? tr("1 layer") : tr("%1 layers").arg(box.layers));
    if (box.parameters > 0) words << tr("%1 parameters").arg(units::count(box.parameters));
    return listed(words);
}

void paintWords(QPainter& painter, const GraphBox& box, QRectF line, const Theme& theme) {
    const QFontMetricsF shapeMetrics(painter.font());
    painter.setPen(theme.text);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, box.shape);
    line.setRight(line.right() - shapeMetrics.horizontalAdvance(box.shape) - 8);
    painter.setFont(strongFont());
    const QFontMetricsF titleMetrics(painter.font());
    const QString title = titleMetrics.elidedText(box.title, Qt::ElideRight, line.width());
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
    line.setLeft(line.left() + titleMetrics.horizontalAdvance(title) + 8);
    painter.setFont(smallFont());
    painter.setPen(theme.textSecondary);
    const QFontMetricsF metrics(painter.font());
    const bool isShort = metrics.horizontalAdvance(box.label) <= line.width();
    if (!isShort && line.width() < kLeastLabel) return;  // a few letters say nothing
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(box.label, Qt::ElideLeft, line.width()));
}

}  // namespace

QColor memoryColour(const Theme& theme) {
    return theme.seriesColour(5);
}

QColor workColour(const Theme& theme) {
    return theme.seriesColour(3);
}

QColor shareColour(const Theme& theme) {
    return theme.seriesColour(1);
}

void paintFrame(QPainter& painter, const GraphFrame& frame, const Theme& theme) {
    painter.setPen(QPen(theme.hairline, 1));
    painter.setBrush(mixed(theme.surface, theme.accent, 0.05));
    painter.drawRoundedRect(frame.rect, kRound + 2, kRound + 2);
    paintIcon(painter, Icon::ChevronDown,
              QRectF(frame.head.left() + 8, frame.head.center().y() - 6, 12, 12),
              theme.textSecondary);
    painter.setFont(smallFont());
    painter.setPen(theme.textSecondary);
    const QString words =
        frame.name.isEmpty() ? frame.title : frame.title + QStringLiteral("  ") + frame.name;
    painter.drawText(frame.head.adjusted(26, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter, words);
}

void paintLine(QPainter& painter, const GraphLine& line, const Theme& theme) {
    const QColor colour =
        line.isAside ? theme.accent : mixed(theme.hairline, theme.textSecondary, 0.7);
    painter.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(line.path);
    // An arrow where it ends.
    const QPointF end = line.path.pointAtPercent(1);
    const qreal angle = line.path.angleAtPercent(1);
    painter.save();
    painter.translate(end);
    painter.rotate(-angle);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF({QPointF(0, 0), QPointF(-6, -3.2), QPointF(-6, 3.2)}));
    painter.restore();
}

void paintBox(QPainter& painter, const GraphBox& box, const GraphPicture& picture,
              const BoxMarks& marks, const Theme& theme) {
    if (box.kind == GraphBox::Kind::Sum) return paintSum(painter, box, marks, theme);
    const bool isInput = box.kind == GraphBox::Kind::Input;
    if (box.kind == GraphBox::Kind::Block) {  // a second sheet below
        painter.setPen(QPen(theme.hairline, 1));
        painter.setBrush(theme.surface);
        painter.drawRoundedRect(box.rect.translated(4, 4), kRound, kRound);
    }
    painter.setPen(marks.isMarked || marks.isChosen ? QPen(theme.accent, 2)
                                                    : QPen(theme.hairline, 1));
    painter.setBrush(fillOf(box, marks, theme));
    painter.drawRoundedRect(box.rect, kRound, kRound);
    painter.setFont(smallFont());
    if (isInput) return paintWords(painter, box, box.rect.adjusted(12, 0, -10, 0), theme);
    painter.setPen(Qt::NoPen);
    painter.setBrush(stripeColour(box, theme));
    painter.drawRoundedRect(
        QRectF(box.rect.left() + 3, box.rect.top() + 5, kStripe - 1, box.rect.height() - 10), 2, 2);
    QRectF line = box.rect.adjusted(kStripe + 9, 4, -10, 0);
    line.setHeight(20);
    if (marks.isFoldable) {
        paintIcon(painter, Icon::ChevronRight, QRectF(line.left() - 3, line.top() + 4, 12, 12),
                  theme.textSecondary);
        line.setLeft(line.left() + 13);
    }
    paintWords(painter, box, line, theme);
    const qreal below = box.rect.bottom() - 20;
    painter.setFont(smallFont());
    painter.setPen(theme.textSecondary);
    painter.drawText(QRectF(box.rect.left() + kStripe + 9, below, box.rect.width() - kBar - 30, 16),
                     Qt::AlignLeft | Qt::AlignVCenter, figuresText(box));
    const qreal right = box.rect.right() - 10 - kBar;
    if (marks.showsShare) return paintShare(painter, box, {right, below}, theme);
    paintBar(painter, {right, below + 2}, double(box.bytes) / double(picture.mostBytes),
             memoryColour(theme), theme);
    paintBar(painter, {right, below + 9}, double(box.flops) / double(picture.mostFlops),
             workColour(theme), theme);
}

}  // namespace lockstep::ui
