// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>

#include "core/launch/doctor/faults/examination.h"
#include "core/launch/host/host_link.h"

namespace lockstep::launch {

struct DoctorTask {
    config::JobSpec job;
    std::filesystem::path runFolder;            ///< Absolute.
    std::filesystem::path dataDirectory;        ///< Absolute; empty for data that is generated.
    std::vector<config::NamedFile> dataPlaces;  ///< Absolute files and folders besides it.
    std::string build;                          ///< Of this machine's worker.
    Nanos greetingTimeout = std::chrono::seconds(10);  ///< For a service to answer at all.
    Nanos connectTimeout = std::chrono::seconds(120);  ///< ssh, and copying where it is needed.
    Nanos examineTimeout = std::chrono::seconds(20);   ///< From a host's connection on.
};

/// The examination before anything is known.
[[nodiscard]] Examination beginningOf(const DoctorTask& task);

/// Called on the doctor's thread with all that is known, when that has grown: at most 20 times a
/// second, and once at the end.
using OnExamination = std::function<void(const Examination&)>;

/// Examines all hosts of a job at once and tries every connection that the job will make, as soon
/// as both of its ends are there: a host that does not answer holds up nobody. Blocks until all is
/// known or its time is over; a requested stop leaves the rest out.
[[nodiscard]] Examination examineHosts(const DoctorTask& task, const OpenLink& open,
                                       const OnExamination& onChange, const std::stop_token& stop);

}  // namespace lockstep::launch
