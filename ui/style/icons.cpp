// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <algorithm>
#include <cmath>
#include <optional>

// Must stand outside of any namespace: a static library's resources are not found otherwise.
static void initResources() {
    Q_INIT_RESOURCE(icons);
}

namespace lockstep::ui {

namespace {

constexpr std::array<const char*, std::size_t(Icon::Count)> kNames{
    "job",         "live",         "replicas",   "evaluator", "logs",         "runs",
    "launch",      "stop",         "resume",     "check",     "warning",      "error",
    "info",        "heart",        "zoom-fit",   "follow",    "sun",          "moon",
    "folder-open", "plus",         "minus",      "close",     "search",       "copy",
    "gauge",       "clock",        "checkpoint", "cpu",       "chevron-left", "chevron-right",
    "chevron-up",  "chevron-down", "waiting",    "save",      "settings",     "maximize",
    "restore",     "trash",        "model",      "data",      "home",         "pause",
};

QByteArray source(Icon icon) {
    initResources();
    QFile file(QStringLiteral(":/lockstep/icons/") + iconName(icon) + QStringLiteral(".svg"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Renders once for each size and colour; the cache forgets by itself. Square, at the left: what
/// is wider than high leaves room between a button's icon and its word.
QPixmap tinted(Icon icon, QSize pixels, const QColor& colour) {
    if (pixels.isEmpty()) return {};  // a widget that has no size yet
    const QString key = QStringLiteral("lockstep/%1/%2x%3/%4")
                            .arg(int(icon))
                            .arg(pixels.width())
                            .arg(pixels.height())
                            .arg(colour.rgba());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer renderer(source(icon).replace("currentColor", colour.name().toLatin1()));
    painter.setOpacity(colour.alphaF());
    const qreal side = std::min(pixels.width(), pixels.height());
    renderer.render(&painter, QRectF(0, (pixels.height() - side) / 2, side, side));
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

/// Chooses its colour while painting, so a change of theme reaches icons that are already set.
class ThemedIconEngine final : public QIconEngine {
public:
    ThemedIconEngine(Icon icon, std::optional<Tone> tone, const QColor& colour)
        : icon_(icon), tone_(tone), colour_(colour) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode,
               QIcon::State state) override {
        paintIcon(*painter, icon_, rect, colourFor(mode, state));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return tinted(icon_, size, colourFor(mode, state));
    }

    QIconEngine* clone() const override { return new ThemedIconEngine(*this); }
    QString key() const override { return QStringLiteral("lockstep"); }
    bool isNull() override { return false; }

private:
    QColor colourFor(QIcon::Mode mode, QIcon::State state) const {
        const Theme& theme = Theme::current();
        if (colour_.isValid()) return mode == QIcon::Disabled ? theme.textDisabled : colour_;
        if (mode == QIcon::Disabled) return theme.textDisabled;
        if (tone_) return theme.tone(*tone_);
        if (state == QIcon::On || mode == QIcon::Selected) return theme.accent;
        return mode == QIcon::Active ? theme.text : theme.textSecondary;
    }

    Icon icon_;
    std::optional<Tone> tone_;
    QColor colour_;
};

}  // namespace

QString iconName(Icon icon) {
    return QString::fromLatin1(kNames.at(std::size_t(icon)));
}

QIcon makeIcon(Icon icon) {
    return QIcon(new ThemedIconEngine(icon, std::nullopt, {}));
}

QIcon makeIcon(Icon icon, Tone tone) {
    return QIcon(new ThemedIconEngine(icon, tone, {}));
}

QIcon makeIcon(Icon icon, const QColor& colour) {
    return QIcon(new ThemedIconEngine(icon, std::nullopt, colour));
}

void paintIcon(QPainter& painter, Icon icon, const QRectF& rect, const QColor& colour) {
    const qreal ratio = painter.device()->devicePixelRatioF();
    const QSize pixels(int(std::ceil(rect.width() * ratio)), int(std::ceil(rect.height() * ratio)));
    QPixmap pixmap = tinted(icon, pixels, colour);
    pixmap.setDevicePixelRatio(ratio);
    // On whole device pixels, or the strokes are smeared.
    const QPointF corner(std::round(rect.left() * ratio) / ratio,
                         std::round(rect.top() * ratio) / ratio);
    painter.drawPixmap(corner, pixmap);
}

QIcon applicationIcon() {
    initResources();
    QSvgRenderer renderer(QStringLiteral(":/lockstep/icons/lockstep.svg"));
    QIcon icon;
    for (const int side : {16, 24, 32, 48, 64, 128, 256, 512}) {
        QPixmap pixmap(side, side);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter);
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

}  // namespace lockstep::ui
