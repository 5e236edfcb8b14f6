// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "ui/bridge/background_task.h"

class QMenu;
class QWidget;

namespace lockstep::ui {

class ChartCard;
class ChartGrid;
class LiveChart;

/// Copies and saves the charts of a page as they are shown: by the menu of each, or that of the
/// keyboard by the window's actions. Drawing and writing is done on other threads.
class ChartExport final : public QObject {
    Q_OBJECT
public:
    /// Of more points no table is copied: a clipboard is held in memory.
    static constexpr qint64 kMostCopied = 2'000'000;

    explicit ChartExport(QWidget& page);
    /// What it offers stands in the menus of these.
    void serve(const ChartGrid& grid);
    void serve(const ChartCard& card);

    /// The chart that has the keyboard; else the uppermost that is there to be seen; null: none is.
    [[nodiscard]] LiveChart* chart() const;

    void copyPicture(const LiveChart& chart);
    void copyPoints(const LiveChart& chart);
    /// Asks for a name, whose ending says what is written.
    void save(const LiveChart& chart);
    /// Replaces a file; its name's ending says what is written.
    void write(const LiveChart& chart, const QString& path);

Q_SIGNALS:
    /// One sentence of what was done.
    void told(const QString& sentence);
    void failed(const Error& error);

private:
    void offer(const ChartCard& card, QMenu& menu);

    QWidget& page_;
    BackgroundTask copying_;
    std::vector<std::unique_ptr<BackgroundTask>> saving_;  ///< Each says what became of it.
};

}  // namespace lockstep::ui
