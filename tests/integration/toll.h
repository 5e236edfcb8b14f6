// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>
#include <cstdio>

namespace lockstep::tests {

/// What one planted death has cost. Said in a line of standard output when the object goes, for
/// `./dev bench faults` (tests/bench/compare/faults.py) to add up.
struct Toll {
    explicit Toll(QString deathKind) : kind(std::move(deathKind)) {}
    ~Toll() {
        std::printf("toll|%s|%d|%d|%d|%.3f|%d\n", qPrintable(kind), left, unnamed ? 1 : 0,
                    gaps ? 1 : 0, seconds, QTest::currentTestFailed() ? 1 : 0);
        std::fflush(stdout);
    }
    Toll(const Toll&) = delete;
    Toll& operator=(const Toll&) = delete;

    QString kind;          ///< "link, tied".
    int left = 0;          ///< Processes that were there after the time that they had.
    bool unnamed = false;  ///< The run failed without the cause that it has.
    bool gaps = false;     ///< Steps are missing in the history, or occur twice.
    double seconds = -1;   ///< From the death until nothing was left; -1: the run goes on.
};

}  // namespace lockstep::tests
