// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/job/fold/session.h"
#include "ui/models/scalar_mean.h"

namespace lockstep::ui {

class ChartCard;
class ChartGroup;
class FigureShelf;
class LiveFeed;

/// Gives every named figure that a run reports a chart of its own once it is to be seen: a line a
/// replica and, where all of them report it, their mean. Until then what is said of it waits.
class ScalarFeed final : public QObject {
    Q_OBJECT
public:
    static constexpr std::size_t kMostFigures =
        4096;  ///< More are told, and in the exported table.
    /// Values that wait, of all figures: of whom most wait, the older half goes.
    static constexpr std::size_t kMostWaiting = 8'000'000;

    ScalarFeed(ChartGroup& group, const LiveFeed& feed, FigureShelf& shelf,
               QObject* parent = nullptr);

    void reset();
    /// Adds what came before the feed knew the run's replicas.
    void showView();
    void add(const std::vector<job::ScalarColumns>& scalars);
    [[nodiscard]] bool hasFigures() const { return !figures_.empty(); }
    /// Names that can have no chart.
    [[nodiscard]] std::size_t leftOut() const { return leftOut_.size(); }
    /// Figures whose charts lack what was said first, or will.
    [[nodiscard]] std::size_t cut() const { return cut_; }

private:
    struct Figure {
        QString unit;
        ChartCard* card = nullptr;  ///< Null: it was not to be seen yet.
        ScalarMean mean;
        /// What waits for a card, for its replica, or for its start to be known; a column for each
        /// replica and start.
        std::vector<job::ScalarColumns> waiting;
        std::map<std::pair<int, int>, std::size_t> columnOf;  ///< By replica, start.
        std::size_t waitingCount = 0;
        bool isCut = false;
    };

    void introduce(std::span<const job::ScalarColumns> scalars);
    void addKnown(std::span<const job::ScalarColumns> scalars);
    void addStart(std::span<const job::ScalarColumns> scalars);
    void wait(Figure& figure, const job::ScalarColumns& columns);
    void cutOlder();
    /// Adds what waits to its chart.
    void tell(Figure& figure);
    [[nodiscard]] int seriesOf(const job::ScalarColumns& columns) const;
    [[nodiscard]] bool isKnown(const job::ScalarColumns& columns) const;
    [[nodiscard]] ChartCard* makeCard(const QString& name);
    /// The values [first, end), whose steps grow.
    void addTo(Figure& figure, const job::ScalarColumns& columns, std::size_t first,
               std::size_t end);

    ChartGroup& group_;
    const LiveFeed& feed_;
    FigureShelf& shelf_;
    std::map<std::string, Figure> figures_;
    std::set<std::string> leftOut_;
    std::size_t waitingCount_ = 0;  ///< Values, of all figures.
    std::size_t cut_ = 0;
};

}  // namespace lockstep::ui
