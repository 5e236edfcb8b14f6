// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stop_token>

#include "core/launch/doctor/doctor.h"
#include "core/launch/doctor/examination_board.h"

namespace lockstep::launch {

/// The doctor's conversation with one host, on a thread of its own.
class HostExaminer {
public:
    HostExaminer(const DoctorTask& task, const OpenLink& open, ExaminationBoard& board,
                 std::size_t host)
        : task_(task), open_(open), board_(board), host_(host) {}

    /// Connects, asks, tries connections as their targets appear, until nothing is left to try.
    void run(const std::stop_token& stop);

private:
    using Answer = std::function<void(Examination&, const wire::FromHost&)>;
    struct Awaited {
        Answer answer;
        Nanos deadline{};
    };

    void change(const std::function<void(ExaminedHost&)>& how);
    bool connect();
    [[nodiscard]] Result<void> greet();
    [[nodiscard]] Result<void> readClock();
    [[nodiscard]] Result<void> ask(wire::ToHost request, Nanos patience, Answer answer);
    [[nodiscard]] Result<void> askFacts();
    [[nodiscard]] Result<void> askPorts();
    [[nodiscard]] Result<void> askTargets();
    [[nodiscard]] Result<void> converse(const std::stop_token& stop);
    void stayForOthers(const std::stop_token& stop);
    [[nodiscard]] Result<void> hear(Nanos timeout);
    void renewLease();
    void giveUp(const Error& error);

    const DoctorTask& task_;
    const OpenLink& open_;
    ExaminationBoard& board_;
    const std::size_t host_;
    std::unique_ptr<HostLink> link_;
    std::map<std::uint64_t, Awaited> awaited_;
    std::uint64_t lastRequest_ = 0;
    std::string privateFolder_;  ///< Where runs lie on that host that no other host sees.
    Nanos leaseAt_{};
};

}  // namespace lockstep::launch
