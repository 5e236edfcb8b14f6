// SPDX-License-Identifier: Apache-2.0
// What surrounds NCCL and needs no GPU: its words, its watch (RAS), the choice of the interface.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QtTest>
#include <thread>

#include "core/base/file.h"
#include "core/collective/nccl_loader.h"
#include "core/collective/nccl_ras.h"
#include "core/collective/nccl_words.h"
#include "core/collective/network_interface.h"
#include "core/tensor/gpu_support.h"

using namespace lockstep;
using namespace lockstep::collective;

namespace {

constexpr const char* kStatus =
    "NCCL version 2.28.9 compiled with CUDA 13.0\n"
    "Job summary\n  Nodes Processes GPUs Processes GPUs\n"
    "Errors\n\n  DEAD: 1 process\n"
    "#0-0 (27a079b828ff1a75) MISSING 1 rank (3)\n"
    "  Rank 3 -- GPU 0 managed by process 3 on node 10.0.0.2\n";

/// Answers one connection as RAS does, or not at all.
class RasServer {
public:
    explicit RasServer(bool answers) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
        listen(socket_.get(), 1);
        socklen_t length = sizeof address;
        getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &length);
        port_ = ntohs(address.sin_port);
        if (answers) thread_ = std::jthread([this] { answer(); });
    }

    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] std::string question() {
        thread_.join();
        return question_;
    }

private:
    void answer() {
        const UniqueFd peer(accept(socket_.get(), nullptr, nullptr));
        char text[256] = {};
        while (question_.find("STATUS\n") == std::string::npos) {
            const ssize_t got = recv(peer.get(), text, sizeof text, 0);
            if (got <= 0) return;
            question_.append(text, static_cast<std::size_t>(got));
        }
        // In pieces, as a network delivers them.
        for (const char* at = kStatus; *at != 0;) {
            const std::size_t part = std::min<std::size_t>(40, std::strlen(at));
            if (send(peer.get(), at, part, MSG_NOSIGNAL) <= 0) return;
            at += part;
        }
    }

    UniqueFd socket_;
    int port_ = 0;
    std::string question_;
    std::jthread thread_;
};

}  // namespace

class NcclHostTest : public QObject {
    Q_OBJECT
private slots:
    void everyCodeHasPlainWords() {
        for (int code = 0; code <= 9; ++code)
            QVERIFY(!ncclWords(code).meaning.empty());
        QVERIFY(ncclWords(6).remote);
        QVERIFY(!ncclWords(5).remote);
        QVERIFY(ncclWords(5).remedy.find("gloo") != std::string::npos);
        QVERIFY(ncclWords(77).meaning.find("77") != std::string::npos);
    }

    void rasIsAskedAndItsFindingsArePicked() {
        RasServer server(true);
        const auto text = askNcclRas(server.address(), std::chrono::seconds(10));
        QVERIFY2(text.has_value(), text ? "" : text.error().message.c_str());
        QCOMPARE(*text, std::string(kStatus));
        QCOMPARE(server.question(), std::string("TIMEOUT 5\nVERBOSE STATUS\n"));
        QCOMPARE(rasFindings(*text, 2), std::string("Errors\n  DEAD: 1 process"));
        QVERIFY(rasFindings(*text, 9).find("MISSING 1 rank (3)") != std::string::npos);
        QCOMPARE(rasFindings("all is well\n", 9), std::string());
    }

    void rasThatIsSilentOrAbsentIsNotWaitedForLong() {
        const RasServer silent(false);
        const Nanos begin = SteadyClock::read();
        const auto late = askNcclRas(silent.address(), Millis(100));
        QVERIFY(!late.has_value());
        QCOMPARE(late.error().code, ErrorCode::Timeout);
        QVERIFY(SteadyClock::read() - begin < std::chrono::seconds(5));
        const auto absent = askNcclRas("127.0.0.1:1", std::chrono::seconds(5));
        QVERIFY(!absent.has_value());
        QCOMPARE(absent.error().code, ErrorCode::Unavailable);
        const auto wrong = askNcclRas("nonsense", std::chrono::seconds(5));
        QVERIFY(!wrong.has_value());
        QCOMPARE(wrong.error().code, ErrorCode::BadInput);
    }

    void theInterfaceOfAnAddressIsFound() {
        QCOMPARE(interfaceOf("127.0.0.1"), std::string("lo"));
        QCOMPARE(interfaceOf("203.0.113.77"), std::string());
        QCOMPARE(interfaceOf("no such host"), std::string());
    }

    void withoutModuleOrGpuJoiningFailsInWords() {
        if (tensor::findGpuSupport().usable()) QSKIP("there is a GPU here");
        NcclOptions options;
        options.topology.processes = {{0, 1}};
        options.devices = {0};
        options.prefix = "job";
        options.bindHost = "127.0.0.1";
        options.timeout = std::chrono::seconds(5);
        const auto replicas = makeNcclReplicas(options);
        QVERIFY(!replicas.has_value());
        const std::string& message = replicas.error().message;
        QVERIFY2(replicas.error().code == ErrorCode::Unavailable ||
                     replicas.error().code == ErrorCode::NotFound,
                 message.c_str());
        QVERIFY2(message.find("NCCL failed") != std::string::npos ||
                     message.find("lockstep-cuda") != std::string::npos,
                 message.c_str());
    }
};

QTEST_GUILESS_MAIN(NcclHostTest)
#include "tst_nccl_host.moc"
