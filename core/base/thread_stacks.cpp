// SPDX-License-Identifier: Apache-2.0
#include "core/base/thread_stacks.h"

#include <execinfo.h>
#include <fmt/format.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/base/symbol_names.h"
#include "core/base/thread_facts.h"

namespace lockstep {

namespace {

constexpr int kMostFrames = 64;
/// The handler itself, and what the kernel has it return to.
constexpr int kFramesOfHandler = 2;
constexpr Millis kPatience{1000};  // with a thread, and once more where it has begun its answer
constexpr std::chrono::seconds kAllPatience{10};
// Of the threads that matter most.
constexpr const char* kTrains = "train-";  // their names begin so
constexpr const char* kCarries = "gloo-loop";

constexpr pid_t kNobody = 0;
constexpr pid_t kAnswering = -1;
constexpr pid_t kAnswered = -2;

// Of the one question at a time. A handler can reach nothing but what is static.
Mutex asking;
std::atomic<bool> isInstalled{false};
std::atomic<pid_t> asked{kNobody};  // a thread, or how far its answer is
std::array<void*, kMostFrames> frames;
int frameCount = 0;
std::atomic<pid_t> answeredBy{kNobody};  // who has written them
sem_t answered;

pid_t thisThread() {
    return static_cast<pid_t>(::syscall(SYS_gettid));
}

/// Async-signal-safe calls only. Who is asked too late says nothing.
void answer(int) {
    const int error = errno;
    pid_t expected = thisThread();
    if (asked.compare_exchange_strong(expected, kAnswering)) {
        frameCount = ::backtrace(frames.data(), kMostFrames);
        answeredBy.store(thisThread());
        asked.store(kAnswered);
        ::sem_post(&answered);
    }
    errno = error;
}

bool hasAnswered(pid_t thread) {
    return asked.load() == kAnswered && answeredBy.load() == thread;
}

/// Who answers late may post while another one is asked: a post alone says nothing.
bool answersWithin(pid_t thread, Millis patience) {
    timespec until{};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    const Nanos deadline =
        std::chrono::seconds(until.tv_sec) + std::chrono::nanoseconds(until.tv_nsec) + patience;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(deadline);
    until.tv_sec = static_cast<time_t>(seconds.count());
    until.tv_nsec = static_cast<long>((deadline - seconds).count());
    while (!hasAnswered(thread)) {
        const bool isOver =
            ::sem_clockwait(&answered, CLOCK_MONOTONIC, &until) != 0 && errno != EINTR;
        if (isOver) return hasAnswered(thread);
    }
    return true;
}

/// The calls that the thread is in, or nothing where it does not answer.
std::optional<std::span<void* const>> ask(pid_t thread) {
    // Who has been frozen in its answer may still be writing there.
    if (asked.load() == kAnswering) return std::nullopt;
    while (::sem_trywait(&answered) == 0) {
    }
    asked.store(thread);
    bool isThere = ::syscall(SYS_tgkill, ::getpid(), thread, stackSignal()) == 0 &&
                   answersWithin(thread, kPatience);
    if (!isThere) {
        pid_t expected = thread;
        if (asked.compare_exchange_strong(expected, kNobody)) return std::nullopt;
        isThere = answersWithin(thread, kPatience);
    }
    if (!isThere) return std::nullopt;
    asked.store(kNobody);
    const int count = frameCount > kFramesOfHandler ? frameCount - kFramesOfHandler : 0;
    return std::span<void* const>(frames).subspan(
        static_cast<std::size_t>(frameCount > kFramesOfHandler ? kFramesOfHandler : 0),
        static_cast<std::size_t>(count));
}

bool trains(const ThreadFacts& thread) {
    return thread.name.starts_with(kTrains) || thread.name == kCarries;
}

bool canAnswer(const ThreadFacts& thread) {
    const bool isHeld =
        thread.state == 'D' || thread.state == 'T' || thread.state == 't' || thread.state == 'Z';
    return isInstalled.load() && !isHeld && !holdsSignal(thread.blockedSignals, stackSignal());
}

std::string factsText(const ThreadFacts& thread, const std::string& whose,
                      std::string_view more = "") {
    return fmt::format("no stack of thread {} of {}: it {}{}\n", thread.name, whose,
                       stateWords(thread), more);
}

/// What one thread has answered, kept: the next one is asked before it is told.
class Answer {
public:
    Answer(const ThreadFacts& thread, Nanos deadline)
        : isAsked_(canAnswer(thread) && SteadyClock::read() < deadline),
          isDeaf_(!holdsSignal(thread.blockedSignals, stackSignal())) {
        const auto calls = isAsked_ ? ask(thread.id) : std::nullopt;
        if (calls) calls_.emplace(calls->begin(), calls->end());
    }

    /// Held, or without an answer; one that does not hear this signal is not.
    [[nodiscard]] bool isDeaf() const { return isDeaf_ && !calls_; }
    [[nodiscard]] std::string text(const ThreadFacts& thread, const std::string& whose,
                                   SymbolNames& names) const {
        if (!calls_)
            return factsText(thread, whose,
                             isAsked_ ? "; it did not answer" : "; it was not asked");
        std::string text = fmt::format("stack of thread {} of {}:\n", thread.name, whose);
        int number = 0;
        for (void* const call : *calls_)
            text += fmt::format("  #{} {}\n", number++, names.nameOf(call));
        return text;
    }

private:
    bool isAsked_;
    bool isDeaf_;
    std::optional<std::vector<void*>> calls_;
};

}  // namespace

int stackSignal() {
    return SIGRTMIN + 5;
}

void answerStackSignal() {
    ::sem_init(&answered, 0, 0);
    std::ignore = ::backtrace(frames.data(), kMostFrames);  // loads what it needs: no handler may
    struct sigaction action {};
    action.sa_handler = answer;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    if (::sigaction(stackSignal(), &action, nullptr) == 0) isInstalled.store(true);
}

void tellStacks(const std::string& whose, const std::function<void(const std::string&)>& say,
                const std::function<void(std::uint32_t deaf)>& report) {
    const Lock lock(asking);
    const Nanos deadline = SteadyClock::read() + kAllPatience;
    std::vector<ThreadFacts> threads = threadsOf(::getpid());
    std::erase_if(threads, [](const ThreadFacts& thread) { return thread.id == thisThread(); });
    const auto rest = std::ranges::stable_partition(threads, trains);
    std::vector<Answer> answers;
    for (auto thread = threads.begin(); thread != rest.begin(); ++thread)
        answers.emplace_back(*thread, deadline);
    if (report) report(static_cast<std::uint32_t>(std::ranges::count_if(answers, &Answer::isDeaf)));

    SymbolNames names;  // reads the program's file, whose disk may be slow, as the log's reader
    for (std::size_t i = 0; i < answers.size(); ++i)
        say(answers[i].text(threads[i], whose, names));
    for (const ThreadFacts& thread : rest)
        say(Answer(thread, deadline).text(thread, whose, names));
}

void tellThreads(int process, const std::string& whose,
                 const std::function<void(const std::string&)>& say) {
    for (const ThreadFacts& thread : threadsOf(process))
        say(factsText(thread, whose));
}

}  // namespace lockstep
