// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/job/fold/session.h"
#include "ui/models/scalar_mean.h"

namespace lockstep::ui {

class ChartCard;
class ChartGroup;
class FigureShelf;
class LiveFeed;

/// Gives every named figure that a run reports a chart of its own: a line a replica and, where all
/// of them report it, their mean.
class ScalarFeed final : public QObject {
    Q_OBJECT
public:
    static constexpr std::size_t kMostCharts = 64;  ///< More are told, and in the exported table.

    ScalarFeed(ChartGroup& group, const LiveFeed& feed, FigureShelf& shelf,
               QObject* parent = nullptr);

    void reset();
    /// Adds what came before the feed knew the run's replicas.
    void showView();
    void add(const std::vector<job::ScalarColumns>& scalars);
    [[nodiscard]] bool hasCharts() const { return !figures_.empty(); }
    /// Names that have no chart.
    [[nodiscard]] std::size_t leftOut() const { return leftOut_.size(); }

private:
    struct Figure {
        ChartCard* card = nullptr;
        ScalarMean mean;
    };

    void addStart(std::span<const job::ScalarColumns> scalars);
    void keep(job::ScalarColumns columns);
    [[nodiscard]] int seriesOf(const job::ScalarColumns& columns) const;
    [[nodiscard]] bool isKnown(const job::ScalarColumns& columns) const;
    /// Null where there are too many.
    Figure* figureOf(const job::ScalarColumns& columns);
    [[nodiscard]] ChartCard* makeCard(const QString& name, const QString& unit);
    /// The values [first, end), whose steps grow.
    void addTo(Figure& figure, const job::ScalarColumns& columns, std::size_t first,
               std::size_t end);

    ChartGroup& group_;
    const LiveFeed& feed_;
    FigureShelf& shelf_;
    std::map<std::string, Figure> figures_;
    std::set<std::string> leftOut_;
    std::vector<job::ScalarColumns> early_;  ///< Of replicas, or a start, not known yet.
};

}  // namespace lockstep::ui
