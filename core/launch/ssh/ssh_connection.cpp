// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/ssh_connection.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "core/base/program_output.h"
#include "core/base/try.h"
#include "core/launch/ssh/ask_server.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kPolicyTimeout{10};

/// Key files of this destination that cannot be read without a passphrase.
std::vector<std::string> lockedKeys(const std::vector<std::string>& files) {
    const fs::path program = findProgram("ssh-keygen");
    std::vector<std::string> locked;
    for (const std::string& file : files) {
        std::error_code error;
        if (program.empty() || !fs::is_regular_file(file, error)) continue;
        const auto shown = outputOf(program, {"-y", "-P", "", "-f", file}, kPolicyTimeout);
        if (shown.empty()) locked.push_back(file);
    }
    return locked;
}

std::vector<std::string> environmentFor(const SshOptions& options, const std::string& host) {
    // Nobody asks behind our back: a jump host's ssh takes the user's askpass otherwise.
    return options.asker ? options.asker->environment(host, options.opening)
                         : std::vector<std::string>{"SSH_ASKPASS_REQUIRE=never"};
}

/// Where the login is counted.
std::string serverOf(const SshPolicy& policy) {
    return policy.firstHop.empty() ? fmt::format("{}:{}", policy.hostName, policy.port)
                                   : policy.firstHop;
}

}  // namespace

Error SshConnection::endError(bool wasOpen) {
    SshEnd end{
        .host = host, .jump = policy.firstHop, .wasOpen = wasOpen, .couldAsk = command.canAsk};
    end.status = process->end();
    end.words = process->words();
    if (!wasOpen) end.lockedKeys = lockedKeys(policy.identityFiles);
    return sshError(end);
}

Result<SshConnection> startSsh(const std::string& destination, const SshOptions& options,
                               const std::string& remoteCommand, const std::stop_token& cancel) {
    auto parsed = TRY(config::parseSshDestination(destination));
    const fs::path program = options.program.empty() ? findProgram("ssh") : options.program;
    if (program.empty())
        return fail(ErrorCode::Unavailable, "there is no ssh on this machine",
                    "Install it: apt install openssh-client");
    auto folder = TRY(SocketFolder::make());
    SshCommand command{.destination = parsed,
                       .configFile = options.configFile,
                       .controlPath = folder.path() / "control",
                       .canAsk = options.asker != nullptr,
                       .connectSeconds = options.connectSeconds};
    // Empty where the configuration is wrong: the connection itself then says so.
    SshPolicy policy = sshPolicyIn(outputOf(program, sshPolicyArguments(command), kPolicyTimeout));
    OpeningLimit::Turn turn;
    if (options.limit) {
        auto taken = options.limit->take(serverOf(policy), options.loginTime, cancel);
        if (!taken) return failWithin(parsed.words(), std::move(taken.error()));
        turn = std::move(*taken);
    }
    auto process = TRY(SshProcess::start(program, sshArguments(command, policy, remoteCommand),
                                         environmentFor(options, parsed.words())));
    return SshConnection{parsed.words(),    program,         std::move(command), std::move(policy),
                         std::move(folder), std::move(turn), std::move(process)};
}

}  // namespace lockstep::launch
