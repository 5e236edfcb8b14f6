// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/sample_grid.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/style/icons.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {
constexpr int kImage = 56;  // twice the usual 28: whole pixels of the sample
constexpr int kTileWidth = 84;
constexpr int kTileHeight = kImage + 46;
constexpr int kGap = 6;
constexpr int kIconSide = 14;

/// As large as fits in the middle of `square`, in its own proportions. Pixels that are made larger
/// stay sharp; an image that is made smaller is smoothed.
void drawImage(QPainter& painter, const QRectF& square, const QImage& image) {
    if (image.isNull()) return;
    QRectF place(QPointF(), QSizeF(image.size()).scaled(square.size(), Qt::KeepAspectRatio));
    place.moveCenter(square.center());
    place.moveTopLeft(place.topLeft().toPoint());  // or rows of pixels differ in height
    const bool isShrunk = image.width() > place.width();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, isShrunk);
    painter.drawImage(place, image);
}
}  // namespace

SampleGrid::SampleGrid(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleRole(*this, QAccessible::List);
    setAccessibleName(tr("Sample predictions"));
    emptyText_ = tr("No samples yet");
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void SampleGrid::setSamples(QVector<Sample> samples) {
    const int before = chosen_ < 0 ? -1 : samples_[chosen_].index;
    samples_ = std::move(samples);
    const auto found = std::ranges::find(samples_, before, &Sample::index);
    chosen_ = samples_.isEmpty() ? -1 : found == samples_.end() ? 0 : int(found - samples_.begin());
    setAccessibleDescription(describe(chosen_));
    updateGeometry();
    update();
}

void SampleGrid::setMarked(int index) {
    if (marked_ == index) return;
    marked_ = index;
    update();
}

void SampleGrid::setEmptyText(const QString& text) {
    emptyText_ = text;
    update();
}

int SampleGrid::columns() const {
    return std::max(1, (width() + kGap) / (kTileWidth + kGap));
}

int SampleGrid::heightForWidth(int width) const {
    const int across = std::max(1, (width + kGap) / (kTileWidth + kGap));
    const int rows = (int(samples_.size()) + across - 1) / across;
    return heightOfRows(std::max(1, rows));
}

int SampleGrid::heightOfRows(int rows) {
    return rows * (kTileHeight + kGap) - kGap;
}

QSize SampleGrid::sizeHint() const {
    const int wide = 6 * (kTileWidth + kGap) - kGap;
    return {wide, heightForWidth(wide)};
}

QSize SampleGrid::minimumSizeHint() const {
    return {2 * kTileWidth + kGap, kTileHeight};
}

QRect SampleGrid::tile(int index) const {
    const int across = columns();
    // The width that is left over goes to the tiles, so that both edges are flush.
    const double pitch = double(width() + kGap) / across;
    const int left = int(index % across * pitch);
    const int right = int((index % across + 1) * pitch) - kGap;
    return {left, (index / across) * (kTileHeight + kGap), right - left, kTileHeight};
}

int SampleGrid::tileAt(const QPoint& position) const {
    for (int i = 0; i < samples_.size(); ++i) {
        if (tile(i).contains(position)) return i;
    }
    return -1;
}

QString SampleGrid::describe(int index) const {
    if (index < 0 || index >= samples_.size()) return {};
    const Sample& sample = samples_[index];
    const QString probability = units::percent(sample.probability);
    return sample.correct ? tr("Sample %1: %2, recognised with %3")
                                .arg(QString::number(sample.index), sample.truth, probability)
                          : tr("Sample %1: %2, taken for %3 with %4")
                                .arg(QString::number(sample.index), sample.truth, sample.prediction,
                                     probability);
}

void SampleGrid::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (samples_.isEmpty()) {
        painter.setPen(Theme::of(this).textSecondary);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
        return;
    }
    for (int i = 0; i < samples_.size(); ++i) {
        if (event->rect().intersects(tile(i))) paintTile(painter, i);
    }
}

void SampleGrid::paintTile(QPainter& painter, int index) const {
    const Theme& theme = Theme::of(this);
    const Sample& sample = samples_[index];
    const Tone tone = sample.correct ? Tone::Good : Tone::Bad;
    const QRectF ground = QRectF(tile(index)).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool focused = hasFocus() && index == chosen_;
    const bool isMarked = marked_ >= 0 && sample.index == marked_;
    painter.setPen(QPen(focused || isMarked ? theme.accent
                        : sample.correct    ? theme.hairline
                                            : mixed(theme.surface, theme.bad, 0.5),
                        isMarked ? 2 : 1));
    painter.setBrush(sample.correct ? theme.surface : theme.toneSoft(Tone::Bad));
    painter.drawRoundedRect(ground, 6, 6);

    const QRectF square(ground.left() + (ground.width() - kImage) / 2, ground.top() + 6, kImage,
                        kImage);
    drawImage(painter, square, sample.image);

    const QString words =
        sample.correct ? sample.truth : sample.truth + QStringLiteral(" → ") + sample.prediction;
    const int textWidth = std::min(int(ground.width()) - kIconSide - 12,
                                   QFontMetrics(strongFont()).horizontalAdvance(words) + 2);
    const qreal left = ground.left() + (ground.width() - textWidth - kIconSide - 4) / 2;
    const QRectF line(left, square.bottom() + 3, ground.width(), 18);
    paintIcon(painter, sample.correct ? Icon::Check : Icon::Close,
              QRectF(left, line.top() + 2, kIconSide, kIconSide), theme.tone(tone));
    painter.setFont(strongFont());
    painter.setPen(theme.text);
    painter.drawText(QRectF(left + kIconSide + 4, line.top(), textWidth + 1, line.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(words, Qt::ElideRight, textWidth));
    painter.setFont(smallFont());
    painter.setPen(theme.textSecondary);
    painter.drawText(QRectF(ground.left(), line.bottom() - 1, ground.width(), 16), Qt::AlignCenter,
                     units::percent(sample.probability));
}

bool SampleGrid::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int index = tileAt(help->pos());
        if (index >= 0)
            QToolTip::showText(help->globalPos(), describe(index), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void SampleGrid::keyPressEvent(QKeyEvent* event) {
    int next = chosen_;
    switch (event->key()) {
        case Qt::Key_Left:
            next -= 1;
            break;
        case Qt::Key_Right:
            next += 1;
            break;
        case Qt::Key_Up:
            next -= columns();
            break;
        case Qt::Key_Down:
            next += columns();
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            break;  // the one that is chosen already
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    if (next >= 0 && next < samples_.size()) choose(next);
}

void SampleGrid::choose(int index) {
    chosen_ = index;
    setAccessibleDescription(describe(chosen_));
    tellChosenPart(*this);
    update();
    Q_EMIT chosenAt(tile(chosen_));
}

void SampleGrid::mousePressEvent(QMouseEvent* event) {
    const int index = tileAt(event->pos());
    if (index >= 0) choose(index);
}

void SampleGrid::resizeEvent(QResizeEvent* event) {
    updateGeometry();
    QWidget::resizeEvent(event);
}

}  // namespace lockstep::ui
