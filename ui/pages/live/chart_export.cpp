// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/chart_export.h"

#include <QAction>
#include <QBuffer>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QMimeData>
#include <QPointer>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>
#include <utility>

#include "ui/charts/picture/chart_csv.h"
#include "ui/charts/picture/chart_files.h"
#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/pages/live/chart_grid.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

const auto kFolderKey = QStringLiteral("charts/folder");

/// Where charts were saved last.
QString folder() {
    const QString known = QSettings().value(kFolderKey).toString();
    return !known.isEmpty() && QDir(known).exists()
               ? known
               : QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
}

/// "loss-validation" for "Loss, validation".
QString fileNameOf(const QString& title) {
    static const QRegularExpression kOthers(QStringLiteral("[^\\w.]+"),
                                            QRegularExpression::UseUnicodePropertiesOption);
    QString name = title.toLower();
    name.replace(kOthers, QStringLiteral("-"));
    while (name.endsWith(QLatin1Char('-')))
        name.chop(1);
    return name.isEmpty() ? QStringLiteral("chart") : name;
}

struct Copied {
    QImage image;
    QByteArray svg;
};

}  // namespace

ChartExport::ChartExport(QWidget& page) : QObject(&page), page_(page) {}

void ChartExport::serve(const ChartGrid& grid) {
    connect(&grid, &ChartGrid::menuAsked, this,
            [this](const ChartCard* card, QMenu* menu) { offer(*card, *menu); });
}

void ChartExport::serve(const ChartCard& card) {
    connect(&card, &ChartCard::menuAsked, this, [this, &card](QMenu* menu) { offer(card, *menu); });
}

void ChartExport::offer(const ChartCard& card, QMenu& menu) {
    const auto add = [&](const char* name, const QString& words, auto verb) {
        QAction* action = menu.addAction(words);
        action->setObjectName(QLatin1String(name));
        action->setEnabled(card.chart().pointCount() > 0);
        connect(action, &QAction::triggered, this, [this, verb, chart = QPointer(&card.chart())] {
            if (chart != nullptr) (this->*verb)(*chart);
        });
    };
    if (!menu.isEmpty()) menu.addSeparator();
    add("copyChart", tr("&Copy the picture"), &ChartExport::copyPicture);
    add("copyChartPoints", tr("Copy the &points (CSV)"), &ChartExport::copyPoints);
    add("saveChart", tr("&Save as PNG, SVG, PDF or CSV…"), &ChartExport::save);
}

LiveChart* ChartExport::chart() const {
    const QWidget* focused = page_.window()->focusWidget();
    const auto placeOf = [this](const ChartCard* card) {
        const QPoint corner = card->mapTo(&page_, QPoint());
        return std::pair(corner.y(), corner.x());
    };
    ChartCard* first = nullptr;
    for (ChartCard* card : page_.findChildren<ChartCard*>()) {
        if (!card->isVisible()) continue;
        if (focused != nullptr && card->isAncestorOf(focused)) return &card->chart();
        if (first == nullptr || placeOf(card) < placeOf(first)) first = card;
    }
    return first != nullptr ? &first->chart() : nullptr;
}

void ChartExport::copyPicture(const LiveChart& chart) {
    copying_.start(
        [picture = chart.picture()] {
            return Copied{imageOf(picture), svgOf(picture)};
        },
        [this, title = chart.title()](const Copied& copied) {
            if (copied.image.isNull() || copied.svg.isEmpty())
                return Q_EMIT failed(
                    {ErrorCode::Internal,
                     tr("%1 cannot be painted as a picture").arg(title).toStdString(),
                     tr("Show it smaller, or copy its points.").toStdString()});
            auto* data = new QMimeData;
            data->setImageData(copied.image);
            data->setData(QStringLiteral("image/svg+xml"), copied.svg);
            QGuiApplication::clipboard()->setMimeData(data);
            Q_EMIT told(tr("Copied as a picture: %1").arg(title));
        });
}

void ChartExport::copyPoints(const LiveChart& chart) {
    ChartPicture picture = chart.picture();
    const qint64 points = pointsOf(picture);
    if (points > kMostCopied) {
        return Q_EMIT failed(
            {ErrorCode::BadInput,
             tr("%1 points are too many for the clipboard").arg(units::count(points)).toStdString(),
             tr("Save them as a CSV file, or show a part of the steps.").toStdString()});
    }
    copying_.start(
        [picture = std::move(picture)] {
            QBuffer buffer;
            buffer.open(QIODevice::WriteOnly);
            return writeChartCsv(picture, buffer) ? buffer.data() : QByteArray();
        },
        [this, points](const QByteArray& text) {
            auto* data = new QMimeData;
            data->setText(QString::fromUtf8(text));
            data->setData(QStringLiteral("text/csv"), text);
            QGuiApplication::clipboard()->setMimeData(data);
            Q_EMIT told(tr("Points copied: %1").arg(units::count(points)));
        });
}

void ChartExport::save(const LiveChart& chart) {
    auto* dialog = new QFileDialog(&page_, tr("Save the chart"), folder());
    dialog->setObjectName(QStringLiteral("saveChartDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("PNG picture (*.png)"), tr("SVG drawing (*.svg)"),
                            tr("PDF document (*.pdf)"), tr("CSV table of the points (*.csv)")});
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.mid(filter.indexOf(QLatin1Char('.')) + 1, 3));
    });
    dialog->selectFile(fileNameOf(chart.title()) + QStringLiteral(".png"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, chart = QPointer(&chart)](const QString& path) {
                if (chart != nullptr) write(*chart, path);
            });
    dialog->open();
}

void ChartExport::write(const LiveChart& chart, const QString& path) {
    QSettings().setValue(kFolderKey, QFileInfo(path).absolutePath());
    std::erase_if(saving_, [](const auto& task) { return !task->isBusy(); });
    saving_.push_back(std::make_unique<BackgroundTask>());
    saving_.back()->start([picture = chart.picture(), path] { return saveChart(picture, path); },
                          [this, path](const Result<void>& saved) {
                              if (!saved) return Q_EMIT failed(saved.error());
                              Q_EMIT told(tr("Saved: %1").arg(path));
                          });
}

}  // namespace lockstep::ui
