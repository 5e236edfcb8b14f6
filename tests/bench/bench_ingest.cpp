// SPDX-License-Identifier: Apache-2.0
// A thousand workers, a connection with CURVE each, send a hundred step records a second each into
// the real coordinator, which journals them. They live in a second process of this machine. Delay
// is the round trip of a question asked behind a record on the same connection: the record has been
// taken when the answer comes.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/coordination/server/coordinator.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "core/wire/socket.h"
#include "tests/bench/figures.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kConnections = 1000;
constexpr std::int64_t kMessagesEach = 1000;  // ten seconds of them
constexpr std::int64_t kMessages = kConnections * kMessagesEach;
constexpr Nanos kInterval = 10ms;
constexpr Nanos kTick = 500us;          // of the generator
constexpr std::int64_t kAskEvery = 97;  // of all messages; no divisor of the connections
constexpr Nanos kPatience = 120s;
constexpr const char* kRunId = "ingest";

/// What the generator tells at the end.
struct Sent {
    std::int64_t messages = 0;
    double seconds = 0;
    double medianMillis = 0;
    double highMillis = 0;  ///< p99
};

void exitWith(const std::string& sentence) {
    valueOrExit(Result<void>(fail(ErrorCode::Timeout, sentence)));
}

/// A thousand workers that do nothing but report.
class Generator {
public:
    Generator(const std::string& endpoint, const std::string& serverKey,
              const std::vector<wire::KeyPair>& keys) {
        for (const wire::KeyPair& one : keys)
            sockets_.push_back(
                valueOrExit(wire::ClientSocket::connect(context_, endpoint, serverKey, one)));
    }

    /// All messages are made before: the processors are the coordinator's as far as can be.
    void prepare() {
        messages_.reserve(kMessages);
        for (std::int64_t number = 0; number < kMessages; ++number)
            messages_.push_back(valueOrExit(
                wire::encode(stepRecord(static_cast<std::uint32_t>(number % kConnections),
                                        static_cast<std::uint64_t>(number / kConnections) + 1))));
    }

    void join() {
        for (std::uint32_t id = 0; id < kConnections; ++id) {
            wire::ToCoordinator message = envelope(id);
            wire::Register& self = *message.mutable_register_();
            self.set_process_id(id);
            self.set_host("host");
            self.set_host_group("group");
            self.set_replicas(1);
            self.set_device("cpu");
            self.set_build("build");
            send(id, message);
        }
        for (std::uint32_t id = 0; id < kConnections; ++id)
            while (!await(id).has_welcome()) {
            }
    }

    /// Sleeps between ticks as a thousand workers would: a generator that spins would take from
    /// the coordinator the processor that is measured.
    Sent report() {
        const Nanos begin = SteadyClock::read();
        std::int64_t number = 0;
        while (number < kMessages) {
            const Nanos passed = SteadyClock::read() - begin;
            const std::int64_t due = std::min(kMessages, passed * kConnections / kInterval);
            for (; number < due; ++number)
                report(number);
            takeAnswers();
            std::this_thread::sleep_for(kTick);
        }
        const double seconds = Seconds(SteadyClock::read() - begin).count();
        while (!asked_.empty())
            takeAnswers();
        return {kMessages, seconds, median(millis_), quantile(millis_, 0.99)};
    }

private:
    static wire::ToCoordinator envelope(std::uint32_t id) {
        wire::ToCoordinator message;
        message.set_run_id(kRunId);
        message.set_incarnation(id + 1);
        return message;
    }
    static wire::ToCoordinator stepRecord(std::uint32_t id, std::uint64_t step) {
        wire::Record record;
        record.set_wall_time(wallSeconds());
        wire::StepBatch& batch = *record.mutable_steps();
        batch.set_replica(id);
        batch.set_first_step(step);
        batch.set_first_end_wall_time(record.wall_time());
        for (auto* column :
             {batch.mutable_loss(), batch.mutable_accuracy(), batch.mutable_step_us(),
              batch.mutable_data_us(), batch.mutable_forward_us(), batch.mutable_backward_us(),
              batch.mutable_all_reduce_us(), batch.mutable_update_us()})
            column->Add(0.5F);
        wire::ToCoordinator message = envelope(id);
        message.mutable_records()->add_records(record.SerializeAsString());
        return message;
    }

    void report(std::int64_t number) {
        const auto id = static_cast<std::uint32_t>(number % kConnections);
        send(id, messages_[static_cast<std::size_t>(number)]);
        if (number % kAskEvery == 0) ask(id);
    }

    void send(std::uint32_t id, wire::ToCoordinator message) {
        send(id, valueOrExit(wire::encode(std::move(message))));
    }
    void send(std::uint32_t id, const std::string& bytes) {
        const Nanos deadline = SteadyClock::read() + kPatience;
        while (valueOrExit(sockets_[id]->trySend(bytes)) != wire::Sent::Yes) {
            if (SteadyClock::read() > deadline) exitWith("a connection took no message");
            std::this_thread::yield();
        }
    }
    void ask(std::uint32_t id) {
        wire::ToCoordinator question = envelope(id);
        question.mutable_get()->set_request(++questions_);
        question.mutable_get()->set_key(std::string(coordination::kAliveKey));
        asked_.push_back({id, SteadyClock::read()});
        send(id, std::move(question));
    }
    /// Answers come about in the order of the questions: the oldest few are looked at.
    void takeAnswers() {
        constexpr std::size_t kLooks = 8;
        for (std::size_t place = 0; place < std::min(kLooks, asked_.size());) {
            const auto answer = valueOrExit(sockets_[asked_[place].id]->receive());
            if (!answer) {
                ++place;
                continue;
            }
            const Nanos took = SteadyClock::read() - asked_[place].at;
            if (!valueOrExit(wire::decode<wire::FromCoordinator>(*answer)).has_value()) continue;
            millis_.push_back(Seconds(took).count() * 1e3);
            asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(place));
        }
        if (!asked_.empty() && SteadyClock::read() - asked_.front().at > kPatience)
            exitWith("a question was not answered");
    }
    wire::FromCoordinator await(std::uint32_t id) {
        const Nanos deadline = SteadyClock::read() + kPatience;
        for (;;) {
            if (const auto bytes = valueOrExit(sockets_[id]->receive()))
                return valueOrExit(wire::decode<wire::FromCoordinator>(*bytes));
            if (SteadyClock::read() > deadline) exitWith("not all workers were welcomed");
            std::this_thread::sleep_for(1ms);
        }
    }

    struct Question {
        std::uint32_t id;
        Nanos at;
    };
    wire::Context context_ = valueOrExit(wire::Context::make());
    std::vector<std::unique_ptr<wire::ClientSocket>> sockets_;
    std::vector<std::string> messages_;  ///< Of step records, in the order of sending.
    std::deque<Question> asked_;
    std::uint64_t questions_ = 0;
    std::vector<double> millis_;
};

/// Step records in a journal.
std::int64_t journalled(const std::filesystem::path& path) {
    const auto reader = valueOrExit(telemetry::JournalReader::open(path));
    std::int64_t steps = 0;
    std::uint64_t offset = 0;
    for (;;) {
        const std::string bytes = valueOrExit(reader.read(offset, 4 << 20));
        if (bytes.empty()) return steps;
        telemetry::FrameCursor cursor(bytes, offset);
        while (const auto record = cursor.next()) {
            wire::Record parsed;
            if (parsed.ParseFromArray(record->data(), static_cast<int>(record->size())) &&
                parsed.has_steps())
                steps += parsed.steps().loss_size();
        }
        offset += bytes.size();
    }
}

double processorSeconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return double(time.tv_sec) + double(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The child: waits for the endpoint, then joins and reports.
[[noreturn]] void generate(int endpointFd, int resultFd, const std::string& serverKey,
                           const std::vector<wire::KeyPair>& keys) {
    raiseOpenFileLimit();
    std::array<char, 256> endpoint{};
    if (::read(endpointFd, endpoint.data(), endpoint.size() - 1) <= 0) std::_Exit(1);
    Generator generator(endpoint.data(), serverKey, keys);
    generator.prepare();
    generator.join();
    const Sent sent = generator.report();
    if (::write(resultFd, &sent, sizeof sent) != sizeof sent) std::_Exit(1);
    std::_Exit(0);
}

void measure(const std::filesystem::path& place) {
    const wire::KeyPair serverKeys = valueOrExit(wire::newKeyPair());
    std::vector<wire::KeyPair> keys;
    for (std::uint32_t id = 0; id < kConnections; ++id)
        keys.push_back(valueOrExit(wire::newKeyPair()));
    std::array<int, 2> endpoint{}, result{};
    if (::pipe(endpoint.data()) != 0 || ::pipe(result.data()) != 0) exitWith("no pipes");
    const pid_t child = ::fork();  // before this process has threads
    if (child == 0) generate(endpoint[0], result[1], serverKeys.publicKey, keys);
    ::close(result[1]);

    const wire::Context context = valueOrExit(wire::Context::make());
    coordination::CoordinatorOptions options;
    options.rules.runId = kRunId;
    options.rules.workers = kConnections;
    options.rules.heartbeatTimeout = 600s;  // these workers send no heartbeats
    options.journal = place / "journal";
    options.monitorSocket = place / "private" / "monitor";
    options.keys = serverKeys;
    const auto coordinator = valueOrExit(coordination::Coordinator::start(context, options));
    for (std::uint32_t id = 0; id < kConnections; ++id)
        valueOrExit(coordinator->allowMember(keys[id].publicKey, fmt::format("worker-{}", id)));
    const std::string& address = coordinator->memberEndpoint();
    const double before = processorSeconds();
    Sent sent;
    if (::write(endpoint[1], address.data(), address.size()) < 0 ||
        ::read(result[0], &sent, sizeof sent) != sizeof sent)
        exitWith("the generator failed");
    const double used = processorSeconds() - before;
    ::waitpid(child, nullptr, 0);
    coordinator->shutdown();

    const std::int64_t lost = sent.messages - journalled(options.journal);
    print({.what = fmt::format("{} connections x 100/s with CURVE, records lost", kConnections),
           .value = double(lost),
           .goal = 0,
           .peer = fmt::format("of {}, sent in {:.1f} s", sent.messages, sent.seconds)});
    print({.what = "the same, delay until taken, p99",
           .value = sent.highMillis,
           .unit = "ms",
           .goal = 10,
           .peer = fmt::format("median {:.2f} ms", sent.medianMillis)});
    row("the same, processor time of the coordinator", used / sent.seconds * 100, "%",
        "of one core, its joining included");
}

}  // namespace

int main() {
    const auto place = std::filesystem::temp_directory_path() / ("bench-" + randomHex(6));
    std::filesystem::create_directories(place);
    measure(place);
    std::filesystem::remove_all(place);
    return 0;
}
