// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/handover/network_facts.h"

namespace lockstep::job {

/// What a network is asked: one of the three, as NetworkFacts::takes says.
struct Question {
    /// Images, IDX files, tables, prompts; a folder stands for the images in it.
    std::vector<std::filesystem::path> files{};
    std::string rows{};        ///< CSV with a header.
    std::string prompt{};      ///< May be empty where nothing else is given.
    std::size_t top = 5;       ///< Classes of each answer.
    int tokens = 200;          ///< By how many a prompt is continued.
    double temperature = 0.8;  ///< 0: always the likeliest token.
    std::uint64_t seed = 1;    ///< Decides what is drawn.
};

/// What a network says of one sample, or why there is no answer.
struct Answer {
    struct Class {
        std::string name;
        std::int64_t index = 0;
        double probability = 0;
        double logit = 0;
    };
    struct Value {
        std::string name;
        double value = 0;
    };
    /// The sample as the network sees it, rows of pixels; empty: it is no image, or there are too
    /// many.
    struct Picture {
        int height = 0;
        int width = 0;
        int channels = 1;  ///< 3: red, green, blue.
        std::vector<std::uint8_t> pixels{};
    };

    std::string source{};          ///< The file; empty: what was typed.
    std::string placeName{};       ///< "line" of a table, "index" of an IDX file's images.
    std::uint64_t place = 0;       ///< What placeName counts.
    std::vector<Class> classes{};  ///< The most probable ones first.
    std::vector<Value> values{};   ///< Of a network that tells numbers, in their units.
    std::string prompt{};          ///< What was to be continued, as the next one.
    std::string continuation{};
    Picture picture{};
    std::string error{};  ///< Why there is no answer; empty: there is one.
    std::string remedy{};
};

/// Hears of an answer while it comes; all are called on the thread that asks.
struct Listener {
    std::function<void(Answer)> answer;
    std::function<void(const std::string& sentence)> remark;  ///< What was replaced or left out.
    std::function<void(std::size_t done, std::size_t all)> progress;  ///< In samples, as known.
    std::function<void(const std::string& text)> written;             ///< Of a prompt so far.
    std::function<bool()> goesOn;                                     ///< False: that is enough.
};

/// Who answered, and how often.
struct Answered {
    std::int64_t step = 0;  ///< Of the checkpoint.
    std::size_t answers = 0;
    std::size_t failures = 0;
    bool stopped = false;  ///< Before all was answered.
};

/// Asks a checkpoint's network: what `lockstepctl predict` asks it. A file that cannot be read is
/// an answer with an error; what fails as a whole (no checkpoint, no memory) is this one's. Takes
/// as long as it takes: not for a thread that must not wait.
[[nodiscard]] Result<Answered> ask(const NetworkPlace& place, const Question& question,
                                   const Listener& listener);

}  // namespace lockstep::job
