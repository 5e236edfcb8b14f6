// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/answer_delegates.h"

#include <QPainter>
#include <algorithm>

#include "ui/models/answer_model.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr qreal kBarHeight = 6;
constexpr qreal kLeastBar = 40;

void paintClass(QPainter& painter, const QRectF& line, const QString& name, double probability,
                bool isFirst, const Theme& theme) {
    const qreal number = painter.fontMetrics().horizontalAdvance(units::percent(1)) + 2;
    const qreal words = std::min(line.width() * 0.4, line.width() - number - kLeastBar);
    painter.setPen(isFirst ? theme.text : theme.textSecondary);
    painter.drawText(QRectF(line.topLeft(), QSizeF(words, line.height())),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(name, Qt::ElideRight, int(words)));
    painter.drawText(QRectF(line.right() - number, line.top(), number, line.height()),
                     Qt::AlignRight | Qt::AlignVCenter, units::percent(probability));
    const QRectF track(line.left() + words + kGrid, line.center().y() - kBarHeight / 2,
                       line.width() - words - number - 2 * kGrid, kBarHeight);
    if (track.width() < kGrid) return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.grid);
    painter.drawRoundedRect(track, 3, 3);
    QRectF bar = track;
    bar.setWidth(std::max(2.0, track.width() * std::clamp(probability, 0.0, 1.0)));
    painter.setBrush(isFirst ? theme.accent : mixed(theme.grid, theme.accent, 0.5));
    painter.drawRoundedRect(bar, 3, 3);
}

}  // namespace

void SampleDelegate::paintContent(QPainter* painter, const QRectF& content,
                                  const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const {
    const auto picture = index.data(AnswerModel::PictureRole).value<QImage>();
    QRectF words = content;
    if (!picture.isNull()) {
        const QSizeF size = QSizeF(picture.size()).scaled(kPicture, kPicture, Qt::KeepAspectRatio);
        const QRectF place(content.left(), content.center().y() - size.height() / 2, size.width(),
                           size.height());
        // Few pixels are to be seen as such.
        painter->setRenderHint(QPainter::SmoothPixmapTransform, picture.width() > kPicture);
        painter->drawImage(place, picture);
        words.setLeft(content.left() + kPicture + kGrid);
    }
    painter->setPen(Theme::of(option.widget).text);
    painter->drawText(
        words, Qt::AlignLeft | Qt::AlignVCenter,
        option.fontMetrics.elidedText(option.text, Qt::ElideMiddle, int(words.width())));
}

void AnswerDelegate::paintContent(QPainter* painter, const QRectF& content,
                                  const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const {
    const Theme& theme = Theme::of(option.widget);
    if (index.data(AnswerModel::ErrorRole).toBool()) {
        painter->setPen(theme.bad);
        painter->drawText(content, int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextWordWrap,
                          option.text);
        return;
    }
    const QVariantList classes = index.data(AnswerModel::ClassesRole).toList();
    if (classes.isEmpty()) {
        painter->setPen(theme.text);
        painter->drawText(content, int(option.displayAlignment), option.text);
        return;
    }
    const int room = std::max(1, int(content.height()) / kLine);
    const int shown = std::min({kShown, room, int(classes.size() / 2)});
    qreal top = content.center().y() - shown * kLine / 2.0;
    for (qsizetype i = 0; i < shown; ++i, top += kLine)
        paintClass(*painter, {content.left(), top, content.width(), qreal(kLine)},
                   classes[2 * i].toString(), classes[2 * i + 1].toDouble(), i == 0, theme);
}

}  // namespace lockstep::ui
