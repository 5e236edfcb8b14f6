// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/file.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/job/handover/opened_network.h"
#include "core/train/handover/input_file.h"
#include "core/train/handover/predictor.h"
#include "core/train/handover/text_continuer.h"

namespace lockstep::job {

namespace {

constexpr std::uint64_t kLongestPrompt = 1 << 20;
constexpr std::size_t kPictureBytes = std::size_t{256} << 20;  ///< Of all answers' pictures.
constexpr const char* kTyped = "the table";                    ///< What typed rows are called.
constexpr std::size_t kGrey = 1;
constexpr std::size_t kColour = 3;

/// Tells a listener of answers, and counts them.
class Teller {
public:
    Teller(const Listener& listener, std::int64_t step, std::size_t inputs)
        : listener_(listener), all_(inputs) {
        answered_.step = step;
        listener_.progress(0, all_);
    }

    [[nodiscard]] bool goesOn() {
        answered_.stopped = answered_.stopped || !listener_.goesOn();
        return !answered_.stopped;
    }
    /// An input turned out to be as many samples.
    void expect(std::size_t samples) { all_ += samples - 1; }
    void add(Answer answer) {
        ++(answer.error.empty() ? answered_.answers : answered_.failures);
        if (answer.picture.pixels.size() > pictureBytes_) {
            if (!saidPictures_) remark("there are too many pictures to keep: the last have none");
            saidPictures_ = true;
            answer.picture = {};
        }
        pictureBytes_ -= answer.picture.pixels.size();
        listener_.answer(std::move(answer));
        listener_.progress(answered_.answers + answered_.failures, all_);
    }
    void fail(const std::string& source, const std::string& message,
              const std::string& remedy = {}) {
        Answer answer{.source = source};
        answer.error = message;
        answer.remedy = remedy;
        add(std::move(answer));
    }
    void remark(const std::string& sentence) { listener_.remark(sentence); }
    void write(const std::string& text) { listener_.written(text); }
    [[nodiscard]] const Answered& answered() const { return answered_; }

private:
    const Listener& listener_;
    std::size_t all_;
    std::size_t pictureBytes_ = kPictureBytes;
    bool saidPictures_ = false;
    Answered answered_;
};

Answer::Picture pictureOf(const data::Split& split, std::uint32_t index) {
    if (split.inputKind != data::InputKind::Pixels || split.shape.size() != 3) return {};
    const auto channels = static_cast<std::size_t>(split.channels());
    if (channels != kGrey && channels != kColour) return {};
    const auto pixels = split.input(index);
    return {split.height(), split.width(), split.channels(), {pixels.begin(), pixels.end()}};
}

Answer answerOf(const std::string& source, const train::FileSamples& samples, std::uint32_t index,
                const train::Prediction& prediction) {
    Answer answer{.source = source, .placeName = std::string(samples.placeName)};
    answer.place = samples.places.at(index);
    for (const train::RankedClass& one : prediction.classes)
        answer.classes.push_back({one.name, one.index, one.probability, one.logit});
    for (const train::PredictedValue& one : prediction.values)
        answer.values.push_back({one.name, one.value});
    answer.picture = pictureOf(samples.split, index);
    return answer;
}

/// Of rows that were typed the sentence needs no file: the row is told by its line.
Answer failedRow(const std::string& source, const train::FileSamples& samples,
                 const train::LeftOut& failure) {
    Answer answer{.source = source, .placeName = std::string(samples.placeName)};
    answer.place = failure.place;
    answer.error = failure.sentence;
    answer.remedy = failure.remedy;
    const std::string begin = fmt::format("{}:{}", kTyped, failure.place);
    if (source.empty() && answer.error.starts_with(begin))
        answer.error.erase(0, answer.error.find_first_not_of(": ", begin.size()));
    return answer;
}

void tellSamples(const std::string& source, const Result<train::FileSamples>& samples,
                 train::Predictor& predictor, Teller& teller) {
    if (!samples) return teller.fail(source, samples.error().message, samples.error().remedy);
    const std::size_t all = samples->split.count + samples->failures.size();
    if (all == 0)
        return teller.fail(source, (source.empty() ? kTyped : source) + " has no rows",
                           "Give at least one row below the line with the columns' names.");
    teller.expect(all);
    for (const std::string& remark : samples->remarks)
        teller.remark(remark);
    if (samples->moreRemarks > 0)
        teller.remark("and " + counted(samples->moreRemarks, "more such note"));
    for (const train::LeftOut& failure : samples->failures)
        teller.add(failedRow(source, *samples, failure));
    const auto done = predictor.predict(
        samples->split,
        [&](std::uint32_t index, const train::Prediction& prediction) {
            teller.add(answerOf(source, *samples, index, prediction));
        },
        [&teller] { return teller.goesOn(); });
    if (!done) teller.fail(source, done.error().message, done.error().remedy);
}

bool isImage(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(),
                           [](unsigned char letter) { return std::tolower(letter); });
    return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

/// Images in folders in the place of these, by name.
std::vector<std::filesystem::path> withoutFolders(const std::vector<std::filesystem::path>& files) {
    namespace fs = std::filesystem;
    std::vector<fs::path> all;
    for (const fs::path& file : files) {
        std::error_code error;
        const auto begin = std::ssize(all);
        for (fs::recursive_directory_iterator each(file, error), end; !error && each != end;
             each.increment(error))
            if (isImage(each->path())) all.push_back(each->path());
        std::sort(all.begin() + begin, all.end());
        // What is no folder, and one that holds none, which is said when it is read.
        if (std::ssize(all) == begin) all.push_back(file);
    }
    return all;
}

Result<Answered> askOfSamples(train::SavedNetwork saved, const Question& question,
                              const Listener& listener) {
    const std::int64_t step = saved.state.step;
    const auto predictor = TRY(train::Predictor::make(std::move(saved), question.top));
    const bool hasRows = !question.rows.empty();
    const auto files = withoutFolders(question.files);
    Teller teller(listener, step, files.size() + (hasRows ? 1 : 0));
    const data::SampleFacts& samples = predictor->saved().samples;
    if (hasRows)
        tellSamples({}, train::readInputRows(kTyped, question.rows, samples), *predictor, teller);
    for (const auto& file : files) {
        if (!teller.goesOn()) break;
        tellSamples(file.string(), train::readInputFile(file, samples), *predictor, teller);
    }
    return teller.answered();
}

void tellText(const std::string& source, const Result<std::string>& prompt,
              train::TextContinuer& continuer, const Question& question, Teller& teller) {
    if (!prompt) return teller.fail(source, prompt.error().message, prompt.error().remedy);
    const auto text = continuer.continued(
        *prompt,
        {.tokens = question.tokens, .temperature = question.temperature, .seed = question.seed},
        [&](const std::string& written) {
            teller.write(written);
            return teller.goesOn();
        });
    if (!text) return teller.fail(source, text.error().message, text.error().remedy);
    const data::UnknownText& unknown = text->unknown;
    if (unknown.count > 0)
        teller.remark(fmt::format("{} of the prompt {} not in the vocabulary and {}: {}",
                                  counted(unknown.count, unknown.isKept ? "piece" : "character"),
                                  unknown.count == 1 ? "is" : "are",
                                  unknown.isKept ? "taken for its unknown token" : "left out",
                                  joinWords(unknown.names)));
    Answer answer{.source = source};
    answer.prompt = *prompt;
    answer.continuation = text->text;
    teller.add(std::move(answer));
}

Result<Answered> askForText(train::SavedNetwork saved, const Question& question,
                            const Listener& listener) {
    const std::int64_t step = saved.state.step;
    const auto continuer = TRY(train::TextContinuer::make(std::move(saved)));
    const bool hasPrompt = question.files.empty() || !question.prompt.empty();
    Teller teller(listener, step, question.files.size() + (hasPrompt ? 1 : 0));
    if (hasPrompt) tellText({}, question.prompt, *continuer, question, teller);
    for (const auto& file : question.files) {
        if (!teller.goesOn()) break;
        tellText(file.string(), readFile(file, kLongestPrompt), *continuer, question, teller);
    }
    return teller.answered();
}

}  // namespace

Result<Answered> ask(const NetworkPlace& place, const Question& question,
                     const Listener& listener) {
    auto saved = TRY(openNetwork(place, listener.remark));
    return saved.samples.targetKind == data::TargetKind::NextToken
               ? askForText(std::move(saved), question, listener)
               : askOfSamples(std::move(saved), question, listener);
}

}  // namespace lockstep::job
