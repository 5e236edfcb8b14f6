// SPDX-License-Identifier: Apache-2.0
// Commits a checkpoint of which several processes write the parts, to be killed or given I/O errors
// while they do: commit_shards FOLDER FLOATS STEP PROCESSES. Process 0 commits, then removes all
// but the newest; the others write their parts when it orders them to. What LOCKSTEP_TRACE_n holds,
// a command and its arguments, traces process n from the beginning of its part (`-p` and its thread
// are added). LOCKSTEP_KILL="n MICROSECONDS" kills process n so long after the commit's beginning.
// Exit status as commit_checkpoint's, which is process 0's; 137 where that was killed. Prints
// "lasted NANOSECONDS" of the commit, and "killed n" for each that was killed before its end.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/shard_writer.h"
#include "tests/support/sharded_sample.h"

using namespace lockstep;
using namespace lockstep::checkpoint;

namespace {

/// The lines that come through a pipe.
class LineReader {
public:
    explicit LineReader(int fd) : fd_(fd) {}
    /// Nothing where whoever writes is no more.
    std::optional<std::string> next() {
        for (;;) {
            if (const auto end = text_.find('\n'); end != std::string::npos) {
                std::string line = text_.substr(0, end);
                text_.erase(0, end + 1);
                return line;
            }
            char block[4096];
            const ssize_t got = ::read(fd_, block, sizeof block);
            if (got <= 0) return std::nullopt;
            text_.append(block, static_cast<std::size_t>(got));
        }
    }

private:
    int fd_;
    std::string text_;
};

bool writeLine(int fd, const std::string& text) {
    const std::string line = text + "\n";
    return ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

std::int64_t now() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

struct Pipe {
    Pipe() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
        from = ends[0];
        to = ends[1];
    }
    int from = -1;
    int to = -1;
};

/// What all processes have in common before each keeps its own ends.
struct Pipes {
    explicit Pipes(int processes)
        : orders(static_cast<std::size_t>(processes)),
          answers(static_cast<std::size_t>(processes)) {}

    std::vector<Pipe> orders;   ///< By process; nobody orders process 0.
    std::vector<Pipe> answers;  ///< Likewise.
    Pipe moments;               ///< "n begin" and "n end NANOSECONDS" of each.

    void keepOnly(const std::vector<int>& own) const {
        for (const auto* group : {&orders, &answers})
            for (const Pipe& pipe : *group)
                closeOthers(pipe, own);
        closeOthers(moments, own);
    }

private:
    static void closeOthers(const Pipe& pipe, const std::vector<int>& own) {
        for (const int end : {pipe.from, pipe.to})
            if (std::ranges::find(own, end) == own.end()) ::close(end);
    }
};

/// One of the processes: what it does between begin() and end() is its part of the commit.
struct Member {
    int number = 0;
    int moments = -1;

    void begin() const {
        beTraced();
        writeLine(moments, std::to_string(number) + " begin");
    }
    void end() const {
        writeLine(moments, std::to_string(number) + " end " + std::to_string(now()));
    }

private:
    /// This thread, from now on: what the loader and other threads do is not counted.
    void beTraced() const {
        const char* command = std::getenv(("LOCKSTEP_TRACE_" + std::to_string(number)).c_str());
        if (command == nullptr) return;
        std::istringstream text(command);
        std::vector<std::string> words;
        for (std::string word; text >> word;)
            words.push_back(word);
        words.insert(words.end(), {"-p", std::to_string(::gettid())});
        std::vector<char*> pointers;
        for (std::string& word : words)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);
        const Pipe said;  // stays open: what it says later must find a reader
        ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        if (::fork() == 0) {
            ::dup2(said.to, STDERR_FILENO);
            ::execvp(pointers[0], pointers.data());
            ::_exit(127);
        }
        ::close(said.to);
        char attached[256];
        if (::read(said.from, attached, sizeof attached) <= 0) std::_Exit(3);
    }
};

class PipeCrew final : public ShardCrew {
public:
    explicit PipeCrew(const Pipes& pipes) : pipes_(pipes) {}
    Result<void> order(const ShardOrder& order) override {
        const std::string line = std::to_string(order.number) + " " + order.folder;
        for (std::size_t process = 1; process < pipes_.orders.size(); ++process)
            if (!writeLine(pipes_.orders[process].to, line)) return isNoMore(process);
        return {};
    }
    Result<FileRecords> collect() override {
        Result<FileRecords> all = FileRecords();
        for (std::size_t process = 1; process < pipes_.answers.size(); ++process) {
            auto records = answerOf(process);
            if (!records) all = fail(records.error());
            if (all && records) all->merge(*records);
        }
        return all;
    }

private:
    Result<FileRecords> answerOf(std::size_t process) const {
        const auto answer = LineReader(pipes_.answers[process].from).next();
        if (!answer) return isNoMore(process);
        if (answer->starts_with("{")) return parseRecords(*answer);
        return fail(ErrorCode::Io, *answer);
    }
    static tl::unexpected<Error> isNoMore(std::size_t process) {
        return fail(ErrorCode::PeerLost, "process " + std::to_string(process) + " is no more");
    }

    const Pipes& pipes_;
};

class PipeDesk final : public ShardDesk {
public:
    PipeDesk(int orders, int answers, const Member& member)
        : orders_(orders), answers_(answers), member_(member) {}
    Result<std::optional<ShardOrder>> next(Nanos /*timeout*/) override {
        const auto line = orders_.next();
        if (!line) return fail(ErrorCode::PeerLost, "process 0 is no more");
        member_.begin();
        std::istringstream text(*line);
        ShardOrder order;
        text >> order.number >> order.folder;
        return order;
    }
    Result<void> report(const Result<FileRecords>& written) override {
        const bool isTold =
            writeLine(answers_, written ? encodeRecords(*written) : written.error().message);
        member_.end();
        if (isTold) return {};
        return fail(ErrorCode::PeerLost, "process 0 is no more");
    }

private:
    LineReader orders_;
    int answers_;
    Member member_;
};

struct Task {
    std::string folder;
    std::size_t floats = 0;
    std::int64_t step = 0;
    int processes = 0;
};

int commit(const Task& task, const Pipes& pipes, const Member& member) {
    auto store = CheckpointStore::open(task.folder, CheckpointStore::Access::Write);
    if (!store) return 1;
    const test::Sample sample(task.step, task.floats);
    PipeCrew crew(pipes);
    member.begin();
    const auto committed = store->commit(test::partOf(sample, 0, task.processes), &crew);
    std::ignore = store->prune(1);
    member.end();
    if (!committed) std::puts(committed.error().message.c_str());
    std::fflush(stdout);
    return committed ? 0 : 1;
}

int writePart(const Task& task, const Pipes& pipes, const Member& member) {
    const test::Sample sample(task.step, task.floats);
    const auto self = static_cast<std::size_t>(member.number);
    auto writer = ShardWriter::start(
        task.folder,
        std::make_unique<PipeDesk>(pipes.orders[self].from, pipes.answers[self].to, member));
    writer->submit(test::partOf(sample, member.number, task.processes), std::chrono::seconds(10),
                   true);
    return writer->finish(std::chrono::seconds(30)) ? 0 : 1;
}

pid_t startMember(const Task& task, const Pipes& pipes, int number) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const Member member{number, pipes.moments.to};
    std::vector<int> own{pipes.moments.to};
    const auto self = static_cast<std::size_t>(number);
    for (std::size_t process = 1; process < pipes.orders.size(); ++process) {
        if (number == 0)
            own.insert(own.end(), {pipes.orders[process].to, pipes.answers[process].from});
        else if (process == self)
            own.insert(own.end(), {pipes.orders[process].from, pipes.answers[process].to});
    }
    pipes.keepOnly(own);
    std::_Exit(number == 0 ? commit(task, pipes, member) : writePart(task, pipes, member));
}

/// Follows the commit; kills whom LOCKSTEP_KILL names. When the commit began, ended, and when it
/// killed.
struct Moments {
    std::optional<std::int64_t> begin;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
    std::int64_t kill = 0;  ///< Whom a tracer killed was killed in its part of the commit.

    void follow(int moments, const std::vector<pid_t>& members) {
        int victim = -1;
        std::int64_t microseconds = 0;
        if (const char* wanted = std::getenv("LOCKSTEP_KILL"))
            std::istringstream(wanted) >> victim >> microseconds;
        ::prctl(PR_SET_TIMERSLACK, 1);
        LineReader lines(moments);
        while (const auto line = lines.next()) {
            if (line->starts_with("0 end ")) end = std::stoll(line->substr(6));
            if (*line != "0 begin") continue;
            begin = now();
            if (victim < 0) continue;
            // a pause: as long as was asked for
            std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
            kill = now();
            ::kill(members[static_cast<std::size_t>(victim)], SIGKILL);
        }
    }
};

int lead(const Task& task) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // to wait for tracers, too
    std::signal(SIGPIPE, SIG_IGN);
    const Pipes pipes(task.processes);
    std::vector<pid_t> members;
    for (int number = 0; number < task.processes; ++number)
        members.push_back(startMember(task, pipes, number));
    pipes.keepOnly({pipes.moments.from});
    Moments moments;
    moments.follow(pipes.moments.from, members);
    std::map<pid_t, int> ends;
    for (int status = 0;;) {
        const pid_t ended = ::wait(&status);
        if (ended < 0) break;
        ends[ended] = status;
    }
    if (moments.begin && moments.end != std::numeric_limits<std::int64_t>::max())
        std::printf("lasted %lld\n", static_cast<long long>(moments.end - *moments.begin));
    for (std::size_t number = 0; number < members.size(); ++number)
        if (WIFSIGNALED(ends[members[number]]) && moments.kill < moments.end)
            std::printf("killed %zu\n", number);
    const int status = ends[members[0]];
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) return 2;
    return lead({arguments[1], std::strtoul(arguments[2], nullptr, 10), std::atoll(arguments[3]),
                 std::atoi(arguments[4])});
}
