// SPDX-License-Identifier: Apache-2.0
#include "core/job/fit_exchange.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <set>
#include <tuple>

#include "core/base/exit_status.h"
#include "core/base/try.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/coordination/state/process_key.h"
#include "core/run/run_end.h"

namespace lockstep::job {

namespace {

constexpr std::string_view kFolder = "fit";
constexpr const char* kEnd = "end";
constexpr const char* kEpochs = "epochs";
constexpr const char* kRoom = "room";
constexpr std::size_t kRoomBytes = 128 << 10;
/// Of what is told about the epochs, in as many parts as it takes.
constexpr std::size_t kPartBytes = coordination::KeyValueStore::kMaxValueBytes / 2;
constexpr std::size_t kCallsKept = 8;  ///< This one included.
constexpr std::chrono::seconds kLeaveTimeout{10};
constexpr std::chrono::seconds kEpochsTimeout{60};  ///< They are told before the end.

}  // namespace

FitExchange::FitExchange(std::shared_ptr<distribution::ProcessGroup> group)
    : group_(std::move(group)) {
    if (!group_) return;
    number_ = group_->nextCollective();
    prefix_ = fmt::format("{}/{}/", kFolder, number_);
}

bool FitExchange::isFirst() const {
    return group_ && group_->processId() == 0 && !group_->isEvaluator();
}

Result<void> FitExchange::set(const std::string& key, const std::string& value) {
    return group_->store().set(prefix_ + key, value);
}

Result<void> FitExchange::begin() {
    return group_ ? set(kRoom, std::string(kRoomBytes, '\0')) : Result<void>();
}

Result<void> FitExchange::invite(const std::string& user, const wire::WorkerConfig& config) {
    return set(user, config.SerializeAsString());
}

tl::unexpected<Error> FitExchange::refuse(const Error& error) {
    if (!isFirst()) return fail(error);
    wire::RunEnd refused;
    refused.set_exit_status(kExitBadInput);
    refused.set_error("process 0 could not start the run: " + error.message);
    refused.set_remedy(error.remedy);
    auto told = tellAll(refused, {});
    for (const wire::Member& member : group_->roster().members())
        if (told && member.process_id() != 0)
            told = invite(coordination::userIdOf({wire::ROLE_WORKER, member.process_id()}), {});
    if (told) told = invite(coordination::userIdOf({wire::ROLE_EVALUATOR, 0}), {});
    if (!told)
        std::fprintf(stderr, "warning: the other processes could not be told of it: %s\n",
                     told.error().message.c_str());
    return fail(error);
}

Result<void> FitExchange::tellEnd(const wire::RunEnd& end,
                                  const std::vector<EpochFigures>& epochs) {
    if (!group_) return {};
    auto told = forgetFormer();
    if (told) told = tellAll(end, epochs);
    // Of a group that has failed all know.
    if (told || told.error().code == ErrorCode::PeerLost) return {};
    Error error{ErrorCode::BadInput,
                fmt::format("the run has ended ({}), but process 0 could not tell the others how: "
                            "{}",
                            end.status(), told.error().message),
                "Its summary is in its folder; keep less in the key-value store."};
    std::ignore = group_->store().erase(prefix_ + kEpochs);
    wire::RunEnd failed;
    failed.set_exit_status(kExitFailed);
    failed.set_error(error.message);
    failed.set_remedy(error.remedy);
    TRY(tellAll(failed, {}));
    return fail(std::move(error));
}

void FitExchange::leaveTogether() {
    // Whoever is not there, or no more, cannot be helped.
    if (group_) std::ignore = group_->barrier(prefix_ + "read", kLeaveTimeout);
}

/// The end last: whoever has it finds the rest.
Result<void> FitExchange::tellAll(const wire::RunEnd& end,
                                  const std::vector<EpochFigures>& epochs) {
    TRY(group_->store().erase(prefix_ + kRoom));
    const auto parts = encodeFigures(epochs, kPartBytes);
    for (std::size_t part = 0; part < parts.size(); ++part)
        TRY(set(fmt::format("{}/{}", kEpochs, part), parts[part]));
    TRY(set(kEpochs, std::to_string(parts.size())));
    return set(kEnd, run::fitted(end).SerializeAsString());
}

/// Who has trained in this call has read what those before have told. An evaluator may be behind,
/// and by more than one where calls were refused: the newest ones stay.
Result<void> FitExchange::forgetFormer() {
    std::set<std::uint64_t> former;
    for (const std::string& key : TRY(group_->store().list(std::string(kFolder))))
        former.insert(std::strtoull(key.c_str() + kFolder.size() + 1, nullptr, 10));
    while (former.size() > kCallsKept) {
        TRY(group_->store().erase(fmt::format("{}/{}", kFolder, *former.begin())));
        former.erase(former.begin());
    }
    return {};
}

template <typename Message>
Result<Message> FitExchange::receive(const std::string& key, Nanos timeout) {
    auto bytes = TRY(group_->get(prefix_ + key, timeout));
    Message message;
    if (!message.ParseFromString(bytes))
        return fail(ErrorCode::Corrupt, "what process 0 sent about the run does not parse");
    return message;
}

Result<wire::WorkerConfig> FitExchange::invitation(const std::string& user, Nanos timeout) {
    return receive<wire::WorkerConfig>(user, timeout);
}

Result<FitExchange::End> FitExchange::end(Nanos timeout) {
    End end{.run = TRY(receive<wire::RunEnd>(kEnd, timeout)), .epochs = {}};
    const auto parts = TRY(group_->get(prefix_ + kEpochs, kEpochsTimeout));
    for (std::size_t part = 0; std::to_string(part) != parts; ++part)
        std::ranges::move(TRY(parseFigures(TRY(group_->get(
                              fmt::format("{}{}/{}", prefix_, kEpochs, part), kEpochsTimeout)))),
                          std::back_inserter(end.epochs));
    return end;
}

}  // namespace lockstep::job
