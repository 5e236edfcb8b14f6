// SPDX-License-Identifier: Apache-2.0
// Links over the system's ssh to a real sshd on loopback.
#pragma once

#include <QtTest>

#include "core/launch/ssh/ask_server.h"
#include "core/launch/ssh/ssh_link.h"
#include "tests/support/ssh_server.h"

namespace lockstep::tests {

using launch::HostLink;
using launch::SshOptions;

inline constexpr std::chrono::seconds kTimeout{30};
inline const std::string kEcho = LOCKSTEP_BINARY_DIR "/tests/echo";

inline SshOptions optionsFor(const SshServer& server) {
    return {.configFile = server.config(), .bundles = kEcho, .connectSeconds = 5};
}

/// Why no link came about; a description when one did.
inline Error refusalOf(const Result<std::unique_ptr<HostLink>>& link) {
    return link ? Error{ErrorCode::Internal, "the link is open"} : link.error();
}

inline bool contains(const std::string& text, const QString& part) {
    return QString::fromStdString(text).contains(part);
}

[[nodiscard]] inline Result<std::unique_ptr<HostLink>> open(const SshServer& server,
                                                            QStringList* said = nullptr) {
    return launch::openSsh("box", optionsFor(server), [said](const std::string& text) {
        if (said != nullptr) said->append(QString::fromStdString(text));
    });
}

inline wire::ToHost relayOf(const std::string& bytes, std::uint64_t request = 1) {
    wire::ToHost message;
    message.set_request(request);
    message.mutable_relay_data()->set_bytes(bytes);
    return message;
}

/// What the program at the other end gives back for these bytes; a description when it does not.
inline std::string echoed(HostLink& link, const std::string& bytes) {
    if (auto sent = link.send(relayOf(bytes), kTimeout); !sent) return sent.error().message;
    const auto answer = link.receive(kTimeout);
    if (!answer) return answer.error().message;
    return *answer ? (*answer)->relay_data().bytes() : "nothing";
}

/// ssh calls the test itself to ask: then it is the askpass program.
template <typename Test>
int runSshTest(int argc, char** argv) {
    if (const auto asked = launch::answerAsAskpass(argc, argv)) return *asked;
    QCoreApplication application(argc, argv);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

}  // namespace lockstep::tests

#define REQUIRE_REFUSAL(error, part, way)                                                  \
    do {                                                                                   \
        const Error refusal = (error);                                                     \
        QVERIFY2(contains(refusal.message, part), refusal.message.c_str());                \
        QVERIFY2(contains(refusal.remedy, way), refusal.remedy.c_str());                   \
        QVERIFY2(refusal.code != ErrorCode::Internal, "the code tells whose fault it is"); \
    } while (false)

/// What takes seconds, or many connections, is not part of every run of the suite.
#define LONG_TEST()                                           \
    if (qEnvironmentVariableIsEmpty("LOCKSTEP_LONG_TESTS")) { \
        QSKIP("part of ./dev check ssh");                     \
    }

#define REQUIRE_LINK(link) \
    QVERIFY2((link).has_value(), (link) ? "" : (link).error().message.c_str())
