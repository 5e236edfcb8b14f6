// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/launch/ssh/ask_question.h"
#include "core/launch/ssh/socket_folder.h"

namespace lockstep::launch {

/// Answers one question of ssh, or declines (nullopt). Called on a thread of its own, one question
/// at a time, and returns soon after `withdrawn`: the connection has ended, or took too long.
/// A Notice has no answer: it is shown until it is withdrawn.
using Ask = std::function<std::optional<AskAnswer>(const AskQuestion&, std::stop_token withdrawn)>;

struct AskServerOptions {
    /// sshd ends a login after 120 s by default.
    Nanos patience = std::chrono::seconds(110);
    /// The program that ssh starts to ask: it calls answerAsAskpass first. Empty: the running one.
    std::filesystem::path program{};
};

/// Lets programs that ssh starts for its questions (askpass) reach this one, at a socket that only
/// this user can open. Questions are queued; one with the same answer is asked once, and again
/// where its answer turned out wrong. Answers are kept in memory until destruction; that a question
/// was declined, or that nobody was there, holds for the connections opened together alone.
class AskServer {
public:
    [[nodiscard]] static Result<std::shared_ptr<AskServer>> start(Ask ask,
                                                                  AskServerOptions options = {});
    ~AskServer();
    AskServer(const AskServer&) = delete;
    AskServer& operator=(const AskServer&) = delete;

    /// NAME=value for an ssh that connects to `destination`. Nothing in it is secret. `opening`:
    /// equal for connections that are opened together; empty: it is one by itself.
    [[nodiscard]] std::vector<std::string> environment(const std::string& destination,
                                                       const std::string& opening = {}) const;
    [[nodiscard]] Nanos patience() const { return options_.patience; }

private:
    struct Request;

    AskServer(Ask ask, AskServerOptions options, SocketFolder folder);
    void serve(const std::stop_token& stop);
    void answer(UniqueFd client, const std::stop_token& stop);
    [[nodiscard]] std::optional<AskAnswer> answerOf(const Request& request, int client,
                                                    const std::stop_token& stop);
    [[nodiscard]] std::optional<AskAnswer> askNow(const AskQuestion& question, int client,
                                                  const std::stop_token& stop) const;

    const Ask ask_;
    const AskServerOptions options_;
    const SocketFolder folder_;
    UniqueFd listener_;
    // Of the serving thread alone:
    std::map<std::string, AskAnswer> known_;       ///< By askIdentity.
    std::map<std::string, std::string> declined_;  ///< By askIdentity: the opening it was last in.
    std::set<std::pair<int, std::string>> given_;  ///< To which ssh: asked again, it was wrong.
    std::jthread thread_;
};

/// What a program that may be started as askpass does first: when it was, asks its launcher and
/// gives the exit status; else nullopt.
[[nodiscard]] std::optional<int> answerAsAskpass(int argc, char** argv);

}  // namespace lockstep::launch
