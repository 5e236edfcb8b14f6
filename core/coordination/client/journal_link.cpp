// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/journal_link.h"

#include "core/base/try.h"
#include "core/checkpoint/checkpoint_source.h"

namespace lockstep::coordination {

Result<wire::JournalPiece> fetchJournal(Client& client, std::uint64_t offset, Nanos patience) {
    wire::ToCoordinator question;
    question.mutable_fetch_journal()->set_offset(offset);
    question.mutable_fetch_journal()->set_length(checkpoint::kLargestPiece);
    const auto bytes = TRY(client.fetch(question, patience));
    wire::JournalPiece piece;
    if (!piece.ParseFromString(bytes))
        return fail(ErrorCode::Corrupt, "the coordinator's piece of the journal cannot be read");
    return piece;
}

}  // namespace lockstep::coordination
