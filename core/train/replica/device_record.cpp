// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/device_record.h"

#include <limits>

namespace lockstep::train {

namespace {

float microsecondsBetween(std::uint64_t from, std::uint64_t to) {
    return to > from && from > 0 ? static_cast<float>(to - from) * 1e-3F : 0.0F;
}

float mean(double sum, double samples) {
    return samples > 0 ? static_cast<float>(sum / samples)
                       : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

telemetry::StepRecord deviceRecord(std::int64_t step, const tensor::EngineFigures& figures,
                                   double endWallTime, bool followsAnother) {
    const std::uint64_t* stamps = figures.stamps;
    telemetry::StepRecord record;
    record.step = static_cast<std::uint64_t>(step);
    record.endWallTime = endWallTime;
    record.hasSamples = figures.mine.samples > 0;
    record.loss = mean(figures.mine.lossSum, figures.mine.samples);
    record.accuracy = mean(figures.mine.correct, figures.mine.samples);
    record.stepMicroseconds = microsecondsBetween(stamps[1], stamps[5]);
    if (followsAnother && stamps[0] > 0)
        record.stepMicroseconds = microsecondsBetween(stamps[0], stamps[5]);
    record.dataMicroseconds = record.stepMicroseconds - microsecondsBetween(stamps[1], stamps[5]);
    record.forwardMicroseconds = microsecondsBetween(stamps[1], stamps[2]);
    record.backwardMicroseconds = microsecondsBetween(stamps[2], stamps[3]);
    record.allReduceMicroseconds = microsecondsBetween(stamps[3], stamps[4]);
    record.updateMicroseconds = microsecondsBetween(stamps[4], stamps[5]);
    return record;
}

}  // namespace lockstep::train
