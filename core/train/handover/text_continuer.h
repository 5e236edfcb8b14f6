// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/text/tokenizer.h"
#include "core/tensor/device.h"
#include "core/train/handover/saved_network.h"
#include "core/train/replica/text_generator.h"

namespace lockstep::train {

/// What a network wrote behind a prompt.
struct ContinuedText {
    std::string text;
    data::UnknownText unknown{};  ///< What of the prompt is no token.
};

/// A saved network of text that is asked to go on with prompts. One thread.
class TextContinuer {
public:
    /// Sees what was written so far; false: no more is wanted.
    using EachPiece = std::function<bool(const std::string& text)>;

    /// BadInput for a network of something else; Unavailable when the memory is not there.
    [[nodiscard]] static Result<std::unique_ptr<TextContinuer>> make(SavedNetwork saved);

    /// `each` may be empty. It is called behind the first tokens, and then less and less often, so
    /// that a long text costs no more than its tokens. BadInput for a prompt that is no text.
    [[nodiscard]] Result<ContinuedText> continued(const std::string& prompt,
                                                  const GenerationOptions& options,
                                                  const EachPiece& each = {});

    [[nodiscard]] const SavedNetwork& saved() const { return *saved_; }

private:
    TextContinuer() = default;

    std::unique_ptr<SavedNetwork> saved_;
    std::unique_ptr<tensor::Device> device_;
    std::unique_ptr<data::Tokenizer> tokenizer_;
    std::unique_ptr<TextGenerator> generator_;
};

}  // namespace lockstep::train
