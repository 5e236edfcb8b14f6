// SPDX-License-Identifier: Apache-2.0
#include "core/run/start_refusal.h"

#include <thread>

#include "core/coordination/ticket/start_ticket.h"
#include "core/run/run_folder.h"

namespace lockstep::run {

namespace fs = std::filesystem;

namespace {
constexpr std::chrono::seconds kStays{2};
}

StartRefusal::StartRefusal(fs::path ticketFile, const wire::StartTicket& refusal)
    : file_(std::move(ticketFile)),
      firstCreated_(firstMissingFolder(file_.parent_path())),
      written_(SteadyClock::read()) {
    auto lock = coordination::writeTicket(file_, refusal);
    if (lock) lock_ = std::move(*lock);
}

void StartRefusal::withdraw() {
    if (!lock_.valid()) return;
    const Nanos stayed = SteadyClock::read() - written_;
    if (stayed < kStays) std::this_thread::sleep_for(kStays - stayed);
    std::error_code ignored;
    fs::remove(file_, ignored);
    lock_.reset();
    if (firstCreated_.empty()) return;
    for (fs::path folder = file_.parent_path();
         folder.native().size() >= firstCreated_.native().size(); folder = folder.parent_path())
        fs::remove(folder, ignored);  // where nothing else came to live in it
}

}  // namespace lockstep::run
