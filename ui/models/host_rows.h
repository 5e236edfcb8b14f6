// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/base/result.h"

namespace lockstep::ui {

class JobEditor;

/// A host of a job over ssh: consecutive processes on it, the evaluator's host, or a spare.
struct HostRow {
    enum class Part { Trains, Scores, Spare };

    Part part = Part::Trains;
    QString host;       ///< As ssh takes it: "gpu1", "alice@gpu2:2222".
    QString address;    ///< "host:port" as the file has it; empty: none of its own.
    int processes = 1;  ///< Of a host that trains.
    /// The first of them; of a spare its place in launch.spares, of the evaluator that in
    /// launch.hosts, where they name it.
    int first = 0;
    /// False: the job gives the coordinator's address alone, and the row is another's.
    bool takesAddress = true;
    bool operator==(const HostRow&) const = default;
};

/// The hosts that the open job names, in the file's order: those that train, the evaluator's,
/// spares. None of the first two while the file names this machine alone. Processes one behind the
/// other on one host are one row, unless their ports are chosen by hand.
[[nodiscard]] std::vector<HostRow> hostRowsOf(const JobEditor& editor);

/// Gives the evaluator's row another address, "host:port" or empty. Its host goes along where
/// launch.hosts does not name it, but the address said it.
void giveEvaluatorAddress(const JobEditor& editor, std::vector<HostRow>& rows,
                          const QString& address);

/// The text of the open job with these hosts instead of its own: launch.hosts is written where an
/// address does not say where ssh goes, or the file has it already. Where rows only come, go or
/// change places, the comment that ends a host's line goes with it, in lists with a line for each;
/// comments on lines of their own stay. Of several such changes at once, or of more than 64
/// processes, comments keep their place in the list; a host that becomes a spare, or trains from
/// then on, loses its own.
[[nodiscard]] Result<std::string> withHostRows(const JobEditor& editor,
                                               const std::vector<HostRow>& rows);

/// The key of the file whose problems are those of the row, one for each of its values.
[[nodiscard]] QStringList keysOf(const HostRow& row);

/// "gpu1" of "gpu1:0", "gpu1:7000" of itself, "fe80::1" of "[fe80::1]:0".
[[nodiscard]] QString shownAddress(const QString& address);
/// "gpu1:0" of "gpu1"; what has a port stays.
[[nodiscard]] QString fullAddress(const QString& shown);
/// The name or number of the host that an address or an ssh destination goes to.
[[nodiscard]] QString hostOfAddress(const QString& address);
[[nodiscard]] QString hostOfDestination(const QString& destination);

}  // namespace lockstep::ui
