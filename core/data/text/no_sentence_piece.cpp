// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/try.h"
#include "core/data/source_file.h"
#include "core/data/text/sentence_piece.h"

namespace lockstep::data {

bool hasSentencePiece() {
    return false;
}

Result<std::unique_ptr<Tokenizer>> openSentencePiece(const std::filesystem::path& path,
                                                     const std::string& /*hash*/) {
    TRY(checkSource("data.tokenizer", path));
    return fail(ErrorCode::BadInput,
                fmt::format("data.tokenizer: {} cannot be used: this build has no SentencePiece",
                            path.string()),
                "Build it where libsentencepiece-dev is installed, or set data.tokenizer to "
                "\"bytes\" or \"characters\".");
}

}  // namespace lockstep::data
