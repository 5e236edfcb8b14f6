// SPDX-License-Identifier: Apache-2.0
// Commits a checkpoint of which two processes write the parts, to be killed or given I/O errors
// while they do: commit_shards FOLDER FLOATS STEP. What LOCKSTEP_TRACE_WRITER holds, a command and
// its arguments, runs the second process. Exit status as commit_checkpoint's, which is the first's.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/shard_writer.h"
#include "tests/support/sharded_sample.h"

using namespace lockstep;
using namespace lockstep::checkpoint;

namespace {

constexpr int kOrders = 100;  // descriptors of the second process
constexpr int kAnswers = 101;

/// A line; nothing where whoever writes is no more.
std::optional<std::string> readLine(int fd) {
    std::string line;
    for (char byte = 0; ::read(fd, &byte, 1) == 1;) {
        if (byte == '\n') return line;
        line += byte;
    }
    return std::nullopt;
}

bool writeLine(int fd, const std::string& text) {
    const std::string line = text + "\n";
    return ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

class PipeCrew final : public ShardCrew {
public:
    PipeCrew(int orders, int answers) : orders_(orders), answers_(answers) {}
    Result<void> order(const ShardOrder& order) override {
        if (writeLine(orders_, std::to_string(order.number) + " " + order.folder)) return {};
        return fail(ErrorCode::PeerLost, "the second process is no more");
    }
    Result<FileRecords> collect() override {
        const auto answer = readLine(answers_);
        if (!answer) return fail(ErrorCode::PeerLost, "the second process is no more");
        if (answer->starts_with("{")) return parseRecords(*answer);
        return fail(ErrorCode::Io, *answer);
    }

private:
    int orders_;
    int answers_;
};

class PipeDesk final : public ShardDesk {
public:
    Result<std::optional<ShardOrder>> next(Nanos) override {
        const auto line = readLine(kOrders);
        if (!line) return fail(ErrorCode::PeerLost, "the first process is no more");
        std::istringstream text(*line);
        ShardOrder order;
        text >> order.number >> order.folder;
        return order;
    }
    Result<void> report(const Result<FileRecords>& written) override {
        if (writeLine(kAnswers, written ? encodeRecords(*written) : written.error().message))
            return {};
        return fail(ErrorCode::PeerLost, "the first process is no more");
    }
};

int writeParts(char** arguments) {
    const test::Sample sample(std::atoll(arguments[3]), std::strtoul(arguments[2], nullptr, 10));
    auto writer = ShardWriter::start(arguments[1], std::make_unique<PipeDesk>());
    writer->submit(test::partOf(sample, 1, 2), std::chrono::seconds(10), true);
    return writer->finish(std::chrono::seconds(30)) ? 0 : 1;
}

/// The pipes' ends under the numbers that it knows; nobody else has them.
[[noreturn]] void becomeWriter(int orders, int answers, char** arguments) {
    ::dup2(orders, kOrders);
    ::dup2(answers, kAnswers);
    std::vector<std::string> words;
    if (const char* trace = std::getenv("LOCKSTEP_TRACE_WRITER")) {
        std::istringstream text(trace);
        for (std::string word; text >> word;)
            words.push_back(word);
    }
    words.insert(words.end(), {arguments[0], arguments[1], arguments[2], arguments[3], "writer"});
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execvp(pointers[0], pointers.data());
    std::_Exit(127);
}

int commit(char** arguments) {
    int orders[2];
    int answers[2];
    if (::pipe2(orders, O_CLOEXEC) != 0 || ::pipe2(answers, O_CLOEXEC) != 0) return 2;
    std::signal(SIGPIPE, SIG_IGN);
    const pid_t second = ::fork();
    if (second == 0) becomeWriter(orders[0], answers[1], arguments);
    ::close(orders[0]);
    ::close(answers[1]);
    int status = 1;
    {
        auto store = CheckpointStore::open(arguments[1], CheckpointStore::Access::Write);
        const test::Sample sample(std::atoll(arguments[3]),
                                  std::strtoul(arguments[2], nullptr, 10));
        PipeCrew crew(orders[1], answers[0]);
        const auto committed = store ? store->commit(test::partOf(sample, 0, 2), &crew)
                                     : Result<Committed>(fail(store.error()));
        if (committed)
            status = 0;
        else
            std::puts(committed.error().message.c_str());
    }
    ::close(orders[1]);
    ::waitpid(second, nullptr, 0);
    return status;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 5) return writeParts(arguments);
    return count == 4 ? commit(arguments) : 2;
}
