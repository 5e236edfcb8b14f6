// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/checkpoint_link.h"

#include "core/base/try.h"

namespace lockstep::coordination {

Result<checkpoint::CheckpointListing> CheckpointLink::list() {
    wire::ToCoordinator question;
    question.mutable_fetch_list();
    const auto bytes = TRY(client_.fetch(question, patience_));
    wire::CheckpointList list;
    if (!list.ParseFromString(bytes))
        return fail(ErrorCode::Corrupt, "the coordinator's list of checkpoints cannot be read");
    checkpoint::CheckpointListing listing;
    listing.steps.assign(list.steps().begin(), list.steps().end());
    if (list.latest() >= 0) listing.latest = list.latest();
    if (list.best() >= 0) listing.best = list.best();
    for (const wire::SuspectCheckpoint& suspect : list.suspects())
        listing.suspects.push_back({suspect.step(), suspect.failed_at(), suspect.cause()});
    listing.kept.assign(list.kept().begin(), list.kept().end());
    return listing;
}

Result<std::string> CheckpointLink::read(std::int64_t step, const std::string& file,
                                         std::uint64_t offset, std::uint32_t length) {
    wire::ToCoordinator question;
    wire::FetchPiece& piece = *question.mutable_fetch_piece();
    piece.set_step(step);
    piece.set_file(file);
    piece.set_offset(offset);
    piece.set_length(length);
    return client_.fetch(question, patience_);
}

}  // namespace lockstep::coordination
