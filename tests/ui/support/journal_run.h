// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose journal a test writes with the product's own writer, record by record, while a
// session follows it as it would follow the coordinator's.
#pragma once

#include <QTemporaryDir>
#include <map>
#include <memory>
#include <string>

#include "core/job/fold/session.h"
#include "core/telemetry/journal.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::testsupport {

class JournalRun {
public:
    JournalRun();

    [[nodiscard]] std::filesystem::path folder() const;
    /// Live: judged by the clock, until `end` was written.
    [[nodiscard]] std::unique_ptr<job::Session> follow() const;

    /// What a job looks like that the records below are of.
    struct Shape {
        int processes = 2;
        int stepsPerEpoch = 100;
        int totalSteps = 400;
        bool evaluator = true;
        bool program = false;  ///< A user's own, which reports nothing.
        int hosts = 1;         ///< The processes are dealt out to them, as many to each.
        int slow = -1;         ///< This one works longer, and the others wait for it.
        int idle = 0;          ///< So many replicas have no samples at an epoch's last step.
    };
    /// What is written from now on happened so long ago.
    void backdate(double seconds) { age_ = seconds; }
    /// The first word of every start.
    void launch(const Shape& shape);
    /// All register, and train from behind `firstStep` on.
    void train(const Shape& shape, int firstStep);
    /// Steps of all replicas; at each end of an epoch its result, with validation, and a
    /// checkpoint.
    void steps(const Shape& shape, int first, int last);
    /// The replicas [first, end) say a named figure of their own at a step: `value` and a hundredth
    /// of it more for each replica before.
    void scalars(const std::string& name, const std::string& unit, int first, int end, int step,
                 double value);
    /// A heartbeat of every process a second from `secondsAgo` to now.
    void beats(const Shape& shape, int secondsAgo, int step, wire::Phase phase);
    /// What each worker's process used a second from `secondsAgo` to now: process p a processor to
    /// 50 + 10 p percent and a GiB, with `gpus` its GPU to 90 percent.
    void figures(const Shape& shape, int secondsAgo, bool gpus = false);
    void state(wire::RunState state, const std::string& sentence);
    void fail(int process, const std::string& cause, int step);
    void score(int step, double accuracy);
    void end(const std::string& status);

private:
    [[nodiscard]] wire::Record record(double secondsAgo = 0) const;
    void write(const wire::Record& record);
    void writeBatch(const Shape& shape, int replica, int first, int count, double endedAgo);

    double age_ = 0;
    std::map<std::string, std::size_t> ids_;  ///< Of named figures.
    QTemporaryDir folder_;
    std::unique_ptr<telemetry::JournalWriter> writer_;
};

}  // namespace lockstep::testsupport
