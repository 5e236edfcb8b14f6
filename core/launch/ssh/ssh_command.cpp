// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/ssh_command.h"

#include <charconv>
#include <cstdlib>
#include <sstream>

namespace lockstep::launch {

namespace {

constexpr int kAliveSeconds = 5;  // three of them unanswered: the connection has ended
constexpr int kAliveCount = 3;

void add(std::vector<std::string>& arguments, const std::string& option) {
    arguments.emplace_back("-o");
    arguments.push_back(option);
}

/// `-F` for the user's file, which must not be read as an option.
void addConfigFile(std::vector<std::string>& arguments, const SshCommand& command) {
    if (command.configFile.empty()) return;
    arguments.emplace_back("-F");
    arguments.push_back(command.configFile.front() == '-' ? "./" + command.configFile
                                                          : command.configFile);
}

void addDestination(std::vector<std::string>& arguments,
                    const config::SshDestination& destination) {
    if (destination.port != 0) {
        arguments.emplace_back("-p");
        arguments.push_back(std::to_string(destination.port));
    }
    if (!destination.user.empty()) {
        arguments.emplace_back("-l");
        arguments.push_back(destination.user);
    }
    arguments.emplace_back("--");
    arguments.push_back(destination.host);
}

/// The user's policy, but nothing is accepted unseen: where nobody can be asked, an unknown key is
/// refused.
std::string hostKeyChecking(const SshPolicy& policy, bool canAsk) {
    if (policy.hostKeyChecking == "yes") return "yes";
    if (policy.hostKeyChecking == "accept-new") return "accept-new";
    return canAsk ? "ask" : "yes";
}

/// A control command only speaks with the socket: the user's configuration could add forwardings
/// of its own to it.
std::vector<std::string> controlArguments(const SshCommand& command, const std::string& verb) {
    return {"-F", "/dev/null", "-S", command.controlPath.string(), "-O", verb};
}

/// A socket's path in a forwarding: ':' separates, '\' keeps it from doing so.
std::string escaped(const std::string& path) {
    std::string text;
    for (const char c : path) {
        if (c == ':' || c == '\\') text += '\\';
        text += c;
    }
    return text;
}

std::string firstOf(const std::string& jumps) {
    return jumps == "none" ? std::string() : jumps.substr(0, jumps.find(','));
}

std::string withHome(const std::string& file) {
    const char* home = std::getenv("HOME");
    return file.starts_with("~/") && home != nullptr ? home + file.substr(1) : file;
}

}  // namespace

SshPolicy sshPolicyIn(std::string_view sshGOutput) {
    SshPolicy policy;
    std::istringstream lines{std::string(sshGOutput)};
    for (std::string line; std::getline(lines, line);) {
        const std::size_t blank = line.find(' ');
        if (blank == std::string::npos) continue;
        const std::string key = line.substr(0, blank);
        const std::string value = line.substr(blank + 1);
        if (key == "hostname") policy.hostName = value;
        if (key == "user") policy.user = value;
        if (key == "port") std::from_chars(value.data(), value.data() + value.size(), policy.port);
        if (key == "proxyjump") policy.firstHop = firstOf(value);
        if (key == "identityfile") policy.identityFiles.push_back(withHome(value));
        if (key == "stricthostkeychecking")
            policy.hostKeyChecking = value == "true"                      ? "yes"
                                     : value == "false" || value == "off" ? "no"
                                                                          : value;
    }
    return policy;
}

std::vector<std::string> sshPolicyArguments(const SshCommand& command) {
    std::vector<std::string> arguments{"-G"};
    addConfigFile(arguments, command);
    addDestination(arguments, command.destination);
    return arguments;
}

std::vector<std::string> sshArguments(const SshCommand& command, const SshPolicy& policy,
                                      const std::string& remoteCommand) {
    std::vector<std::string> arguments{"-T"};
    addConfigFile(arguments, command);
    add(arguments, std::string("BatchMode=") + (command.canAsk ? "no" : "yes"));
    add(arguments, "StrictHostKeyChecking=" + hostKeyChecking(policy, command.canAsk));
    add(arguments, "ConnectTimeout=" + std::to_string(command.connectSeconds));
    add(arguments, "ServerAliveInterval=" + std::to_string(kAliveSeconds));
    add(arguments, "ServerAliveCountMax=" + std::to_string(kAliveCount));
    // A connection of our own, at a socket of our own: the user's shared one may end with others'.
    add(arguments, "ControlMaster=yes");
    add(arguments, "ControlPath=" + command.controlPath.string());
    add(arguments, "ControlPersist=no");
    add(arguments, "StreamLocalBindUnlink=yes");
    add(arguments, "ClearAllForwardings=yes");
    add(arguments, "ForwardAgent=no");
    add(arguments, "ForwardX11=no");
    add(arguments, "Tunnel=no");
    add(arguments, "PermitLocalCommand=no");
    add(arguments, "RemoteCommand=none");
    add(arguments, "RequestTTY=no");
    add(arguments, "EscapeChar=none");
    // Its words become the user's sentences.
    add(arguments, "LogLevel=INFO");
    add(arguments, "VisualHostKey=no");
    addDestination(arguments, command.destination);
    arguments.push_back(remoteCommand);
    return arguments;
}

std::vector<std::string> sshForwardArguments(const SshCommand& command,
                                             const std::filesystem::path& local,
                                             const std::string& remote) {
    std::vector<std::string> arguments = controlArguments(command, "forward");
    arguments.emplace_back("-L");
    arguments.push_back(escaped(local.string()) + ":" + escaped(remote));
    arguments.emplace_back("--");
    arguments.push_back(command.destination.host);
    return arguments;
}

}  // namespace lockstep::launch
