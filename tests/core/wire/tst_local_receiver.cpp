// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <zmq.hpp>

#include "core/base/thread.h"
#include "core/wire/local_receiver.h"

using namespace lockstep;
using namespace lockstep::wire;

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLongest = 1000;

struct Inbox {
    QTemporaryDir temporary;
    fs::path folder{fs::path(temporary.path().toStdString()) / "private"};
    Context context{std::move(*Context::make())};
    std::unique_ptr<LocalReceiver> socket;

    explicit Inbox(mode_t mode = 0700) {
        ::mkdir(folder.c_str(), 0700);
        ::chmod(folder.c_str(), mode);
    }
    Result<void> open(int queued = 16) {
        auto bound = LocalReceiver::bind(context, folder / "reports", queued, kLongest);
        if (!bound) return fail(bound.error());
        socket = std::move(*bound);
        return {};
    }
    /// The next message within a time that nothing here takes.
    std::optional<std::string> next() {
        Pollable* one = socket.get();
        for (int waits = 0; waits < 200; ++waits) {
            auto message = socket->receive();
            if (!message || *message) return message.value_or(std::nullopt);
            (void)waitReadable({&one, 1}, nullptr, Millis(50));
        }
        return std::nullopt;
    }
};

/// A program that reports.
struct Sender {
    zmq::context_t context;
    zmq::socket_t socket{context, zmq::socket_type::push};
    explicit Sender(const std::string& endpoint) {
        socket.set(zmq::sockopt::linger, 0);
        socket.set(zmq::sockopt::sndhwm, 16);
        socket.connect(endpoint);
    }
    bool send(const std::string& text, zmq::send_flags flags = zmq::send_flags::dontwait) {
        return socket.send(zmq::buffer(text), flags).has_value();
    }
};

}  // namespace

class LocalReceiverTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { ignoreSigpipe(); }

    void messagesArriveInOrder() {
        Inbox inbox;
        QVERIFY(inbox.open());
        Sender sender(inbox.socket->endpoint());
        QVERIFY(sender.send("one"));
        QVERIFY(sender.send("two"));
        QCOMPARE(inbox.next(), std::optional<std::string>("one"));
        QCOMPARE(inbox.next(), std::optional<std::string>("two"));
        QCOMPARE(inbox.socket->malformedCount(), std::uint64_t{0});
    }

    void onlyThisUserCanOpenTheSocket() {
        Inbox inbox;
        QVERIFY(inbox.open());
        struct stat status {};
        QCOMPARE(::stat((inbox.folder / "reports").c_str(), &status), 0);
        QCOMPARE(int(status.st_mode & 0777), 0600);
    }

    void aFolderThatOthersCanOpenIsRefused() {
        Inbox inbox(0750);
        const auto opened = inbox.open();
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, ErrorCode::Unavailable);
        QVERIFY(opened.error().message.find(inbox.folder.string()) != std::string::npos);
    }

    void aLinkInTheFoldersPlaceIsRefused() {
        Inbox inbox;
        fs::rename(inbox.folder, inbox.folder.string() + "-real");
        fs::create_directory_symlink(inbox.folder.string() + "-real", inbox.folder);
        QVERIFY(!inbox.open());
    }

    void aPathThatIsTooLongForASocketIsRefused() {
        Inbox inbox;
        const fs::path socket = inbox.folder / std::string(LocalReceiver::kLongestPath, 'x');
        const auto opened = LocalReceiver::bind(inbox.context, socket, 16, kLongest);
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, ErrorCode::BadInput);
        QVERIFY(!opened.error().remedy.empty());
    }

    void messagesOfSeveralPartsAreCountedAndDropped() {
        Inbox inbox;
        QVERIFY(inbox.open());
        Sender sender(inbox.socket->endpoint());
        QVERIFY(sender.send("a", zmq::send_flags::dontwait | zmq::send_flags::sndmore));
        QVERIFY(sender.send("b"));
        QVERIFY(sender.send("whole"));
        QCOMPARE(inbox.next(), std::optional<std::string>("whole"));
        QCOMPARE(inbox.socket->malformedCount(), std::uint64_t{1});
    }

    void aMessageAboveTheLimitNeverArrivesAndOthersStillDo() {
        Inbox inbox;
        QVERIFY(inbox.open());
        Sender careless(inbox.socket->endpoint());
        QVERIFY(careless.send(std::string(kLongest + 1, 'x')));
        Sender sender(inbox.socket->endpoint());
        QVERIFY(sender.send("short"));
        QCOMPARE(inbox.next(), std::optional<std::string>("short"));
    }

    void whoSendsMoreThanIsTakenIsHeldBack() {
        Inbox inbox;
        QVERIFY(inbox.open(4));
        Sender sender(inbox.socket->endpoint());
        QVERIFY(sender.send("first"));
        QCOMPARE(inbox.next(), std::optional<std::string>("first"));
        const std::string message(kLongest, 'x');
        int sent = 0;
        for (int idle = 0; idle < 20 && sent < 100000;) {
            if (sender.send(message)) {
                ++sent;
                idle = 0;
            } else {  // full, or not passed on yet
                QTest::qWait(10);
                ++idle;
            }
        }
        QVERIFY2(sent < 100000, "the queues have no limit");
    }
};

QTEST_GUILESS_MAIN(LocalReceiverTest)
#include "tst_local_receiver.moc"
