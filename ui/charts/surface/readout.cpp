// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/readout.h"

#include <QCoreApplication>
#include <QObject>
#include <algorithm>
#include <cmath>

#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {

constexpr qreal kPadding = 8;
constexpr qreal kSwatch = 8;
constexpr qreal kSwatchGap = 6;
constexpr qreal kColumnGap = 16;
constexpr qreal kDistance = 12;  // from the line
constexpr auto kLeft = Qt::AlignLeft | Qt::AlignVCenter;
constexpr auto kRight = Qt::AlignRight | Qt::AlignVCenter;

void paintLineAndDots(QPainter& painter, const QRectF& plot, const Readout& readout) {
    const Theme& theme = Theme::current();
    const qreal x = std::round(plot.left() + readout.x * plot.width()) + 0.5;
    painter.setPen(QPen(theme.textSecondary, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    for (const Readout::Row& row : readout.rows) {
        if (!(row.y >= 0 && row.y <= 1)) continue;
        painter.setPen(QPen(theme.surface, 1.5));
        painter.setBrush(row.colour);
        painter.drawEllipse(QPointF(x, plot.bottom() - row.y * plot.height()), 3.5, 3.5);
    }
}

/// In as many lines of `width` as its words take, two at most: the second is cut.
QStringList linesOf(const QString& note, qreal width, const QFontMetricsF& metrics) {
    QString first = note;
    while (metrics.horizontalAdvance(first) > width && first.contains(QLatin1Char(' ')))
        first.truncate(first.lastIndexOf(QLatin1Char(' ')));
    if (first.size() == note.size()) return {note};
    if (metrics.horizontalAdvance(first) > width)
        return {metrics.elidedText(note, Qt::ElideRight, width)};
    return {first, metrics.elidedText(note.mid(first.size() + 1), Qt::ElideRight, width)};
}

/// The headline, the notes, as many rows as there is room for, and what stands for the others.
class ReadoutTable {
    Q_DECLARE_TR_FUNCTIONS(lockstep::ui::ReadoutTable)
public:
    ReadoutTable(const Readout& readout, const QSizeF& room, const QFontMetricsF& metrics)
        : readout_(readout), metrics_(metrics), line_(metrics.height() + 2) {
        for (const QString& note : readout.notes)
            notes_ += linesOf(note, room.width() / 2, metrics);
        chooseRows(int((room.height() - 2 * kPadding) / line_) - 1 - int(notes_.size()));
        width_ = width();
    }

    [[nodiscard]] QSizeF size() const {
        const int lines = 1 + int(notes_.size()) + shown_ + (others_.isEmpty() ? 0 : 1);
        return {width_ + 2 * kPadding, line_ * lines + 2 * kPadding - 2};
    }

    void paint(QPainter& painter, const QPointF& corner) const {
        const Theme& theme = Theme::current();
        QRectF line(corner + QPointF(kPadding, kPadding - 1), QSizeF(width_, line_));
        painter.setPen(theme.textSecondary);
        painter.drawText(line, kLeft, readout_.headline);
        painter.setPen(theme.text);
        for (const QString& note : notes_) {
            line.translate(0, line_);
            painter.drawText(line, kLeft, note);
        }
        for (int i = 0; i < shown_; ++i) {
            line.translate(0, line_);
            paintRow(painter, line, readout_.rows[i]);
        }
        if (others_.isEmpty()) return;
        painter.setPen(theme.textSecondary);
        painter.drawText(line.translated(0, line_), kLeft, others_);
    }

private:
    /// What does not fit has one line, which stands for those that are not named, too. It says
    /// nothing of their values: the rows are not in one order.
    void chooseRows(int room) {
        const bool hasOthers = !readout_.others.isEmpty();
        const int all = int(readout_.rows.size());
        shown_ = all + (hasOthers ? 1 : 0) <= room ? all : std::clamp(room - 1, 0, all);
        others_ = shown_ == all ? readout_.others
                  : hasOthers   ? tr("and others")
                                : tr("and %1 more").arg(all - shown_);
    }

    [[nodiscard]] qreal width() const {
        qreal names = 0;
        qreal values = 0;
        for (int i = 0; i < shown_; ++i) {
            names = std::max(names, metrics_.horizontalAdvance(readout_.rows[i].name));
            values = std::max(values, metrics_.horizontalAdvance(readout_.rows[i].value));
        }
        qreal width = std::max({metrics_.horizontalAdvance(readout_.headline),
                                metrics_.horizontalAdvance(others_),
                                kSwatch + kSwatchGap + names + kColumnGap + values});
        for (const QString& note : notes_)
            width = std::max(width, metrics_.horizontalAdvance(note));
        return width;
    }

    static void paintRow(QPainter& painter, const QRectF& line, const Readout::Row& row) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(row.colour);
        painter.drawEllipse(QRectF(line.left(), line.center().y() - kSwatch / 2, kSwatch, kSwatch));
        painter.setPen(Theme::current().text);
        painter.drawText(line.adjusted(kSwatch + kSwatchGap, 0, 0, 0), kLeft, row.name);
        painter.drawText(line, kRight, row.value);
    }

    const Readout& readout_;
    const QFontMetricsF& metrics_;
    qreal line_;
    QStringList notes_;  ///< In lines.
    int shown_ = 0;
    QString others_;
    qreal width_ = 0;
};

/// Right of the line at `x`, or left of it where there is no room.
QPointF cornerBeside(qreal x, const QRectF& plot, qreal width) {
    const bool fits = x + kDistance + width <= plot.right();
    const qreal left = fits ? x + kDistance : std::max(plot.left(), x - kDistance - width);
    return {std::round(left) + 0.5, std::round(plot.top() + 4) + 0.5};
}

}  // namespace

void paintReadout(QPainter& painter, const QRectF& plot, const Readout& readout) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    paintLineAndDots(painter, plot, readout);

    painter.setFont(smallFont());
    const QFontMetricsF metrics(painter.font(), painter.device());
    const ReadoutTable table(readout, plot.size(), metrics);
    const qreal x = plot.left() + readout.x * plot.width();
    const QRectF box(cornerBeside(x, plot, table.size().width()), table.size());
    const Theme& theme = Theme::current();
    QColor ground = theme.raised;
    ground.setAlpha(240);
    painter.setPen(QPen(theme.hairline, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(box, 6, 6);
    table.paint(painter, box.topLeft());
    painter.restore();
}

}  // namespace lockstep::ui
