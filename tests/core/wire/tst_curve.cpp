// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <vector>
#include <zmq.hpp>

#include "tests/core/wire/pair.h"

using namespace lockstep;
using namespace lockstep::wire;
using namespace lockstep::wire::test;

/// Who gets in, and what those who do not are told. Short handshake and reconnect times keep
/// the cases of endless retries short.
class CurveTest : public QObject {
    Q_OBJECT

    static SocketLimits quick() {
        SocketLimits limits;
        limits.handshake = Millis(500);
        limits.reconnect = Millis(10);
        limits.reconnectMax = Millis(40);
        return limits;
    }
    static constexpr Millis kNothingComes{300};

    static constexpr int kNothingWrong = 5;  ///< The kinds before it are strangers.

    /// A peer of one of the kinds there are: with a key that nobody admitted, with an admitted
    /// key for another server, with the server's own public key but none of its secret, with PLAIN
    /// user and password, with no security at all (NULL), or last with nothing wrong.
    static zmq::socket_t peer(zmq::context_t& context, const Server& server,
                              const KeyPair& admitted, int kind) {
        zmq::socket_t socket(context, zmq::socket_type::dealer);
        socket.set(zmq::sockopt::linger, 0);
        const KeyPair fresh = newKeyPair().value();
        if (kind == 3) {
            socket.set(zmq::sockopt::plain_username, "worker-0");
            socket.set(zmq::sockopt::plain_password, admitted.publicKey);
        } else if (kind < 3 || kind == kNothingWrong) {
            const KeyPair& own = kind == 1 || kind == kNothingWrong ? admitted : fresh;
            const KeyPair& of = kind == 1 ? fresh : server.keys;
            socket.set(zmq::sockopt::curve_serverkey, of.publicKey);
            socket.set(zmq::sockopt::curve_secretkey, own.secretKey);
            socket.set(zmq::sockopt::curve_publickey,
                       kind == 2 ? server.keys.publicKey : own.publicKey);
        }
        socket.connect(server.socket->endpoint());
        socket.send(zmq::str_buffer("let me in"), zmq::send_flags::dontwait);
        return socket;
    }

    /// How many of `tries` peers, fifty at a time, got a message through: of `kinds` kinds from
    /// `firstKind` on.
    static int accepted(const Server& server, const KeyPair& admitted, int tries, int kinds,
                        int firstKind = 0) {
        constexpr int kAtOnce = 50;
        int got = 0;
        for (int first = 0; first < tries; first += kAtOnce) {
            zmq::context_t context;
            std::vector<zmq::socket_t> peers;
            for (int i = first; i < std::min(tries, first + kAtOnce); ++i)
                peers.push_back(peer(context, server, admitted, firstKind + i % kinds));
            while (receiveWithin(*server.socket, Millis(100)))
                ++got;
        }
        return got;
    }

private slots:
    void anAdmittedKeyDeliversUnderItsUserId() {
        const Server server = Server::make();
        const auto client = server.client(server.admitted("worker-3"));
        QCOMPARE(client->trySend("hello").value(), Sent::Yes);
        const auto incoming = receiveWithin(*server.socket);
        QVERIFY(incoming.has_value());
        QCOMPARE(incoming->bytes, std::string("hello"));
        QCOMPARE(incoming->userId, std::string("worker-3"));
        QCOMPARE(server.socket->send(incoming->routingId, "welcome").value(), Sent::Yes);
        QCOMPARE(receiveWithin(*client).value_or(""), std::string("welcome"));
        QCOMPARE(client->status().state, LinkState::Connected);
        QCOMPARE(client->status().connections, 1U);
    }

    void anUnknownKeyIsRefusedAndTold() {
        const Server server = Server::make();
        const auto client = server.client(newKeyPair().value(), quick());
        QVERIFY(client->trySend("let me in").has_value());
        QVERIFY(waitUntil({client.get()},
                          [&] { return client->status().state == LinkState::Refused; }));
        QVERIFY(client->status().sentence.find("does not admit") != std::string::npos);
        QVERIFY(!receiveWithin(*server.socket, kNothingComes).has_value());
        QCOMPARE(server.authenticator->refusedCount(), 1U);
        QCOMPARE(client->status().handshakeFailures, 1);  // it has not tried again
    }

    void aRevokedUserCannotConnectAgain() {
        const Server server = Server::make();
        const KeyPair own = server.admitted("worker-1");
        auto client = server.client(own, quick());
        QVERIFY(client->trySend("first life").has_value());
        QVERIFY(receiveWithin(*server.socket).has_value());
        server.authenticator->revoke("worker-1");
        client = server.client(own, quick());
        QVERIFY(client->trySend("second life").has_value());
        QVERIFY(waitUntil({client.get()},
                          [&] { return client->status().state == LinkState::Refused; }));
        QVERIFY(!receiveWithin(*server.socket, kNothingComes).has_value());
    }

    void aWrongServerKeyBecomesASentence() {
        const Server server = Server::make();
        const auto client = ClientSocket::connect(server.context, server.socket->endpoint(),
                                                  newKeyPair().value().publicKey,
                                                  server.admitted("worker-0"), quick())
                                .value();
        QVERIFY(client->trySend("to another server").has_value());
        QVERIFY(waitUntil({client.get()},
                          [&] { return client->status().state == LinkState::WrongServer; }));
        QVERIFY(client->status().handshakeFailures >= 3);
        QVERIFY(client->status().sentence.find(server.socket->endpoint()) != std::string::npos);
        QVERIFY(!receiveWithin(*server.socket, kNothingComes).has_value());
    }

    void aClientWithoutCurveDeliversNothing() {
        const Server server = Server::make("tcp://127.0.0.1:0", quick());
        zmq::context_t context;
        zmq::socket_t plain(context, zmq::socket_type::dealer);
        plain.set(zmq::sockopt::linger, 0);
        plain.connect(server.socket->endpoint());
        QVERIFY(plain.send(zmq::str_buffer("plain text"), zmq::send_flags::dontwait).has_value());
        QVERIFY(!receiveWithin(*server.socket, Millis(800)).has_value());
    }

    void noServerListensWithoutAnAuthenticator() {
        const Context context = Context::make().value();
        const auto socket = ServerSocket::bind(context, "tcp://127.0.0.1:0", newKeyPair().value());
        QVERIFY(!socket);
        QVERIFY(socket.error().message.find("no authenticator") != std::string::npos);
    }

    /// libzmq 4.3.4 alone would let everyone in here.
    void whenTheAuthenticatorIsGoneNobodyGetsIn() {
        Server server = Server::make("tcp://127.0.0.1:0", quick());
        const KeyPair admitted = server.admitted("worker-0");
        server.authenticator.reset();
        const auto client = server.client(admitted, quick());
        QVERIFY(client->trySend("anybody there?").has_value());
        QVERIFY(!receiveWithin(*server.socket, Millis(800)).has_value());
        QVERIFY(client->status().state != LinkState::Connected);
    }

    void ofAThousandStrangersNobodyGetsIn() {
        const Server server = Server::make("tcp://127.0.0.1:0", quick());
        const KeyPair admitted = server.admitted("worker-0");
        QCOMPARE(accepted(server, admitted, 1, 1, kNothingWrong), 1);  // so it would be noticed
        QCOMPARE(accepted(server, admitted, 1000, kNothingWrong), 0);
        // Those with keys came as far as the authenticator: the others were turned down before.
        QVERIFY(server.authenticator->refusedCount() >= 100);
        const auto client = server.client(admitted);  // the door is still open to its own
        QVERIFY(client->trySend("hello").has_value());
        QVERIFY(receiveWithin(*server.socket).has_value());
    }

    void ofAThousandStrangersNobodyGetsInWhenTheAuthenticatorIsGone() {
        Server server = Server::make("tcp://127.0.0.1:0", quick());
        const KeyPair admitted = server.admitted("worker-0");
        server.authenticator.reset();
        QCOMPARE(accepted(server, admitted, 1000, kNothingWrong + 1), 0);  // nor who was admitted
    }

    void aSecondAuthenticatorIsRefused() {
        const Server server = Server::make();
        const auto second = Authenticator::start(server.context);
        QVERIFY(!second);
        QCOMPARE(second.error().code, ErrorCode::Unavailable);
    }

    void malformedKeysAreBadInput() {
        const Server server = Server::make();
        QCOMPARE(server.authenticator->allow("short", "worker-0").error().code,
                 ErrorCode::BadInput);
        QCOMPARE(server.authenticator->allow(std::string(40, '"'), "worker-0").error().code,
                 ErrorCode::BadInput);
        QCOMPARE(server.authenticator->allow(newKeyPair().value().publicKey, "").error().code,
                 ErrorCode::BadInput);
        QVERIFY(!ClientSocket::connect(server.context, server.socket->endpoint(), "short",
                                       newKeyPair().value()));
    }

    void keysAreNewEveryTime() {
        const KeyPair first = newKeyPair().value();
        const KeyPair second = newKeyPair().value();
        QVERIFY(isKey(first.publicKey) && isKey(first.secretKey));
        QVERIFY(first.secretKey != second.secretKey);
    }
};

QTEST_GUILESS_MAIN(CurveTest)
#include "tst_curve.moc"
