// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/augmented_samples.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kSide = 56;
constexpr int kSpace = 8;
constexpr int kLabel = 92;
constexpr int kHead = 20;
constexpr int kBesideOriginal = 10;  // more than between versions

}  // namespace

AugmentedSamples::AugmentedSamples(QWidget* parent) : QWidget(parent) {
    setAccessibleRole(*this, QAccessible::Graphic);
    setAccessibleName(tr("Samples of the training data"));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void AugmentedSamples::setSamples(QVector<Sample> samples) {
    samples_ = std::move(samples);
    QStringList labels;
    for (const Sample& sample : samples_)
        labels << sample.label;
    setAccessibleDescription(tr("%1 samples, each with %2 augmented versions: %3")
                                 .arg(samples_.size())
                                 .arg(mostVersions())
                                 .arg(labels.join(QStringLiteral(", "))));
    updateGeometry();
    update();
}

qsizetype AugmentedSamples::mostVersions() const {
    qsizetype most = 0;
    for (const Sample& sample : samples_)
        most = std::max(most, sample.versions.size());
    return most;
}

int AugmentedSamples::columnsAt(int width) const {
    const int fitting = (width - kLabel - kBesideOriginal) / (kSide + kSpace);
    return std::clamp(fitting, 1, 1 + int(mostVersions()));
}

QSize AugmentedSamples::shown() const {
    return {columnsAt(width()), int(samples_.size())};
}

int AugmentedSamples::heightForWidth(int) const {
    return kHead + int(samples_.size()) * (kSide + kSpace);
}

QSize AugmentedSamples::sizeHint() const {
    return {kLabel + kBesideOriginal + int(1 + mostVersions()) * (kSide + kSpace),
            heightForWidth(0)};
}

QSize AugmentedSamples::minimumSizeHint() const {
    return {kLabel + kBesideOriginal + 2 * (kSide + kSpace), heightForWidth(0)};
}

QRect AugmentedSamples::tile(int row, int column) const {
    return {kLabel + column * (kSide + kSpace) + (column > 0 ? kBesideOriginal : 0),
            kHead + row * (kSide + kSpace), kSide, kSide};
}

void AugmentedSamples::paintTile(QPainter& painter, const QRect& place, const QImage& image,
                                 bool isMarked) const {
    const Theme& theme = Theme::of(this);
    QSize size = image.size();
    size.scale(place.size(), Qt::KeepAspectRatio);
    QRect inner(QPoint(), size);
    inner.moveCenter(place.center());
    // Small images are shown as the pixels that they are.
    painter.setRenderHint(QPainter::SmoothPixmapTransform, image.width() > kSide);
    painter.drawImage(inner, image);
    painter.setPen(QPen(isMarked ? theme.accent : theme.hairline, isMarked ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(inner).adjusted(-0.5, -0.5, 0.5, 0.5));
}

void AugmentedSamples::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setFont(smallFont());
    const int columns = columnsAt(width());
    painter.setPen(theme.textSecondary);
    for (int column = 0; column < columns; ++column) {
        const QRect head(tile(0, column).left(), 0, kSide, kHead - 2);
        painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                         column == 0 ? tr("original") : tr("epoch %1").arg(column));
    }
    for (int row = 0; row < int(samples_.size()); ++row) {
        const Sample& sample = samples_[row];
        const QRect label(0, tile(row, 0).top(), kLabel - 10, kSide);
        painter.setPen(theme.text);
        painter.drawText(
            label, Qt::AlignRight | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(sample.label, Qt::ElideRight, label.width()));
        paintTile(painter, tile(row, 0), sample.image, true);
        for (int column = 1; column < columns && column <= int(sample.versions.size()); ++column)
            paintTile(painter, tile(row, column), sample.versions[column - 1].image, false);
    }
}

QString AugmentedSamples::wordsAt(const QPoint& position) const {
    for (int row = 0; row < int(samples_.size()); ++row)
        for (int column = 0; column < columnsAt(width()); ++column) {
            if (!tile(row, column).contains(position)) continue;
            const Sample& sample = samples_[row];
            if (column == 0) return sample.label;
            if (column > int(sample.versions.size())) return {};
            const QString& note = sample.versions[column - 1].note;
            return note.isEmpty() ? tr("%1, as epoch %2 has it").arg(sample.label).arg(column)
                                  : note;
        }
    return {};
}

bool AugmentedSamples::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), wordsAt(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace lockstep::ui
