// SPDX-License-Identifier: Apache-2.0
// Hosts whose services say what a test has written down, and do nothing.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/launch/host/host_answer.h"
#include "core/launch/host/link_opener.h"
#include "core/wire/keys.h"

namespace lockstep::job::test {

/// What the services of all hosts of a test answer. Thread-safe.
class ScriptedHosts {
public:
    using Body = wire::ToHost::BodyCase;
    using Answer = std::function<wire::FromHost(const wire::ToHost&)>;

    explicit ScriptedHosts(std::string folder) : folder_(std::move(folder)) {}

    /// From now on `body` is answered so; called on the thread that sends.
    void on(Body body, Answer answer) {
        const std::lock_guard lock(mutex_);
        answers_[body] = std::move(answer);
    }
    /// What was asked so far.
    std::vector<wire::ToHost> heard(Body body) const {
        const std::lock_guard lock(mutex_);
        std::vector<wire::ToHost> messages;
        for (const wire::ToHost& message : heard_)
            if (message.body_case() == body) messages.push_back(message);
        return messages;
    }
    int opened() const {
        const std::lock_guard lock(mutex_);
        return opened_;
    }
    int closed() const {
        const std::lock_guard lock(mutex_);
        return closed_;
    }
    /// No link to a host can be opened from now on, or can again.
    void setReachable(bool reachable) {
        const std::lock_guard lock(mutex_);
        reachable_ = reachable;
    }
    /// A host goes: its links break, and none can be opened until it is back.
    void lose(const std::string& host) {
        const std::lock_guard lock(mutex_);
        lost_.insert(host);
    }
    void comeBack(const std::string& host) {
        const std::lock_guard lock(mutex_);
        lost_.erase(host);
    }
    /// The hosts that links were opened to, in order.
    std::vector<std::string> openedHosts() const {
        const std::lock_guard lock(mutex_);
        return openedHosts_;
    }
    /// The links that are open break when they are next looked at.
    void breakLinks() {
        const std::lock_guard lock(mutex_);
        ++broken_;
    }
    /// Process 0's agent has ended: said over every link that is open.
    void endAgent() {
        const std::lock_guard lock(mutex_);
        ++ended_;
    }
    /// The agent of one host is killed: said over its link alone.
    void killAgent(const std::string& host, int signal = SIGKILL) {
        const std::lock_guard lock(mutex_);
        ++killed_[host];
        signal_ = signal;
    }
    /// Likewise, by a user of that host, who wants the run to end.
    void endByForce(const std::string& host) {
        const std::lock_guard lock(mutex_);
        ++killed_[host];
        forced_ = true;
    }

    /// Said by one host, unasked, over the link to it.
    void tell(const std::string& host, const wire::FromHost& news) {
        const std::lock_guard lock(mutex_);
        news_[host].push_back(news);
    }

    launch::MakeLinks makeLinks();

    static wire::FromHost refusal(ErrorCode code, const std::string& sentence) {
        return launch::errorAnswer({code, sentence, ""});
    }

private:
    friend class ScriptedLink;

    wire::FromHost answerTo(const wire::ToHost& message);
    wire::FromHost usualAnswer(const wire::ToHost& message) const;

    mutable std::mutex mutex_;
    const std::string folder_;
    const wire::KeyPair keys_ = wire::newKeyPair().value();
    std::map<Body, Answer> answers_;
    std::vector<wire::ToHost> heard_;
    int opened_ = 0;
    int closed_ = 0;
    int broken_ = 0;
    int ended_ = 0;
    std::map<std::string, int> killed_;
    std::map<std::string, std::vector<wire::FromHost>> news_;
    int signal_ = SIGKILL;
    bool forced_ = false;
    bool reachable_ = true;
    std::set<std::string> lost_;
    std::vector<std::string> openedHosts_;
};

class ScriptedLink final : public launch::HostLink {
public:
    ScriptedLink(std::string host, ScriptedHosts& hosts)
        : host_(std::move(host)), hosts_(hosts), bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
        const std::lock_guard lock(hosts_.mutex_);
        ++hosts_.opened_;
        hosts_.openedHosts_.push_back(host_);
        broken_ = hosts_.broken_;
        ended_ = hosts_.ended_;
        killed_ = hosts_.killed_[host_];
        told_ = hosts_.news_[host_].size();
    }
    ~ScriptedLink() override {
        const std::lock_guard lock(hosts_.mutex_);
        ++hosts_.closed_;
    }
    ScriptedLink(const ScriptedLink&) = delete;
    ScriptedLink& operator=(const ScriptedLink&) = delete;

    const std::string& host() const override { return host_; }
    [[nodiscard]] Result<void> send(const wire::ToHost& message, Nanos) override {
        wire::FromHost answer = hosts_.answerTo(message);
        answer.set_request(message.request());
        if (answer.body_case() != wire::FromHost::BODY_NOT_SET) waiting_.push_back(answer);
        const std::uint64_t one = 1;
        if (::write(bell_.get(), &one, sizeof(one)) < 0) return fail(ErrorCode::Io, "no bell");
        return {};
    }
    [[nodiscard]] Result<std::optional<wire::FromHost>> receive(Nanos) override {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto rung = ::read(bell_.get(), &count, sizeof(count));
        const std::lock_guard lock(hosts_.mutex_);
        if (broken_ != hosts_.broken_ || hosts_.lost_.contains(host_))
            return fail(ErrorCode::PeerLost, "the line is cut");
        if (ended_ != hosts_.ended_) {
            ended_ = hosts_.ended_;
            wire::FromHost news;
            news.mutable_agent_ended()->set_status(0);
            waiting_.push_back(news);
        }
        if (killed_ != hosts_.killed_[host_]) {
            killed_ = hosts_.killed_[host_];
            wire::FromHost news;
            news.mutable_agent_ended()->set_signalled(true);
            news.mutable_agent_ended()->set_status(hosts_.signal_);
            news.mutable_agent_ended()->set_forced(hosts_.forced_);
            waiting_.push_back(news);
        }
        const auto& news = hosts_.news_[host_];
        while (told_ < news.size())
            waiting_.push_back(news[told_++]);
        if (waiting_.empty()) return std::nullopt;
        wire::FromHost next = std::move(waiting_.front());
        waiting_.pop_front();
        return next;
    }
    int fd() const override { return bell_.get(); }
    [[nodiscard]] Result<std::string> forwardSocket(const std::string& socket) override {
        return socket;
    }

private:
    std::string host_;
    ScriptedHosts& hosts_;
    UniqueFd bell_;
    std::deque<wire::FromHost> waiting_;
    int broken_ = 0;
    int ended_ = 0;
    int killed_ = 0;
    std::size_t told_ = 0;
};

inline launch::MakeLinks ScriptedHosts::makeLinks() {
    return [this](const std::stop_token&) -> launch::OpenLink {
        return [this](const std::string& host, const std::function<void(const std::string&)>&)
                   -> Result<std::unique_ptr<launch::HostLink>> {
            {
                const std::lock_guard lock(mutex_);
                if (!reachable_ || lost_.contains(host))
                    return fail(ErrorCode::Unavailable, host + ": nobody is there");
            }
            return std::make_unique<ScriptedLink>(host, *this);
        };
    };
}

inline wire::FromHost ScriptedHosts::answerTo(const wire::ToHost& message) {
    Answer own;
    {
        const std::lock_guard lock(mutex_);
        heard_.push_back(message);
        if (const auto found = answers_.find(message.body_case()); found != answers_.end())
            own = found->second;
    }
    return own ? own(message) : usualAnswer(message);
}

/// Of a host that does not see the launcher's folders, where all goes well.
inline wire::FromHost ScriptedHosts::usualAnswer(const wire::ToHost& message) const {
    wire::FromHost answer;
    switch (message.body_case()) {
        case wire::ToHost::kHello:
            answer.mutable_greeting()->set_runs_folder(folder_ + "/there");
            break;
        case wire::ToHost::kSeeFolder:
            answer.mutable_folder_seen()->set_seen(false);
            break;
        case wire::ToHost::kStartAgent:
            answer.mutable_agent_ready();
            for (int i = 0; i < message.start_agent().other_agents_size(); ++i)
                answer.mutable_agent_ready()->add_tickets();
            break;
        case wire::ToHost::kJoinAgent:
            answer.mutable_agent_ready();
            break;
        case wire::ToHost::kAttach:
            answer.mutable_attached()->set_monitor_endpoint("ipc://" + folder_ + "/nobody");
            answer.mutable_attached()->set_server_public(keys_.publicKey);
            break;
        case wire::ToHost::kSurveyRun:  // the run's own folder is whole
            answer.mutable_survey()->set_good(1);
            answer.mutable_survey()->add_steps(1);
            answer.mutable_survey()->set_has_journal(true);
            break;
        case wire::ToHost::kExamine:
            answer.mutable_host_facts()->set_build("of the test");
            break;
        case wire::ToHost::kDetach:
            answer.mutable_done();
            break;
        case wire::ToHost::kReadRunFile:
            answer.mutable_run_file();
            break;
        default:
            break;
    }
    return answer;
}

}  // namespace lockstep::job::test
