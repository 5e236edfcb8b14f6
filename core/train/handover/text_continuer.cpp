// SPDX-License-Identifier: Apache-2.0
#include "core/train/handover/text_continuer.h"

#include <algorithm>

#include "core/base/thread.h"
#include "core/base/try.h"

namespace lockstep::train {

namespace {
/// Of the tokens so far, how many more come before what they say is told again.
constexpr std::size_t kShareBetween = 16;
}  // namespace

Result<std::unique_ptr<TextContinuer>> TextContinuer::make(SavedNetwork saved) {
    if (saved.samples.targetKind != data::TargetKind::NextToken)
        return fail(ErrorCode::BadInput,
                    "the network was not trained to continue text, and takes no prompt",
                    "Networks of images and tables are given files.");
    flushDenormals();
    std::unique_ptr<TextContinuer> continuer(new TextContinuer);
    const auto json =
        TRY(text::parseJson(saved.samples.preparation, saved.samples.preparation.size()));
    continuer->tokenizer_ = TRY(data::tokenizerOf(json));
    continuer->saved_ = std::make_unique<SavedNetwork>(std::move(saved));
    continuer->device_ = tensor::openCpuDevice();
    continuer->generator_ = std::make_unique<TextGenerator>(
        TRY(TextGenerator::make(*continuer->device_, continuer->saved_->network)));
    return continuer;
}

Result<ContinuedText> TextContinuer::continued(const std::string& prompt,
                                               const GenerationOptions& options,
                                               const EachPiece& each) {
    const auto tokens = TRY(tokenizer_->encode(prompt));
    std::size_t next = 1;
    const auto tell = [&](std::span<const std::uint16_t> written) {
        if (!each || written.size() < next) return true;
        next = written.size() + 1 + written.size() / kShareBetween;
        return each(data::continuationText(*tokenizer_, tokens.tokens, written));
    };
    const auto more = TRY(generator_->continued({saved_->parameters, saved_->statistics},
                                                tokens.tokens, options, tell));
    return ContinuedText{data::continuationText(*tokenizer_, tokens.tokens, more), tokens.unknown};
}

}  // namespace lockstep::train
