// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "core/base/file.h"
#include "core/wire/local_receiver.h"

using namespace lockstep;
using namespace lockstep::wire;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongest = 1000;

struct Inbox {
    QTemporaryDir temporary;
    fs::path folder{fs::path(temporary.path().toStdString()) / "private"};
    std::unique_ptr<LocalReceiver> socket;

    explicit Inbox(mode_t mode = 0700) {
        ::mkdir(folder.c_str(), 0700);
        ::chmod(folder.c_str(), mode);
    }
    Result<void> open() {
        auto bound = LocalReceiver::bind(folder / "reports", kLongest);
        if (!bound) return fail(bound.error());
        socket = std::move(*bound);
        return {};
    }
    /// What has been sent is there at once: both ends are on this machine.
    std::optional<std::string> next() const { return socket->receive(); }
};

/// A program that reports.
struct Sender {
    UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    explicit Sender(const Inbox& inbox) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = inbox.socket->path();
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            qFatal("cannot connect");
    }
    bool send(const std::string& text) const {
        return ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(text.size());
    }
};

using Line = std::optional<std::string>;

}  // namespace

class LocalReceiverTest : public QObject {
    Q_OBJECT
private slots:
    void linesArriveInOrder() {
        Inbox inbox;
        QVERIFY(inbox.open());
        const Sender sender(inbox);
        QCOMPARE(inbox.next(), Line());
        QVERIFY(sender.send("one\ntwo\nth"));
        QCOMPARE(inbox.next(), Line("one"));
        QCOMPARE(inbox.next(), Line("two"));
        QCOMPARE(inbox.next(), Line());
        QVERIFY(sender.send("ree\n\n"));
        QCOMPARE(inbox.next(), Line("three"));
        QCOMPARE(inbox.next(), Line(""));
        QCOMPARE(inbox.next(), Line());
        QCOMPARE(inbox.socket->droppedLines(), std::uint64_t{0});
    }

    void whatASenderSaidBeforeItEndedIsStillTaken() {
        Inbox inbox;
        QVERIFY(inbox.open());
        {
            const Sender sender(inbox);
            QVERIFY(sender.send("last words\nand a line that is cut sh"));
        }
        QCOMPARE(inbox.next(), Line("last words"));
        QCOMPARE(inbox.next(), Line());
        QCOMPARE(inbox.next(), Line());
        QCOMPARE(inbox.socket->droppedLines(), std::uint64_t{1});
    }

    void aSenderThatNeverStopsKeepsNobodyWaiting() {
        Inbox inbox;
        QVERIFY(inbox.open());
        const Sender busy(inbox);
        const Sender rare(inbox);
        QVERIFY(busy.send("1\n2\n3\n4\n5\n6\n"));
        QVERIFY(rare.send("here\n"));
        QStringList lines;
        for (int i = 0; i < 3; ++i)
            lines += QString::fromStdString(inbox.next().value_or(""));
        QVERIFY2(lines.contains("here"), qPrintable(lines.join(' ')));
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
        const auto opened = LocalReceiver::bind(socket, kLongest);
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, ErrorCode::BadInput);
        QVERIFY(!opened.error().remedy.empty());
    }

    void aSocketThatWasLeftBehindIsReplaced() {
        Inbox inbox;
        QVERIFY(inbox.open());
        auto before = std::move(inbox.socket);
        QVERIFY(inbox.open());
        const Sender sender(inbox);
        QVERIFY(sender.send("here\n"));
        QCOMPARE(inbox.next(), Line("here"));
    }

    void aLineAboveTheLimitIsDroppedAndCountedAndOthersStillCome() {
        Inbox inbox;
        QVERIFY(inbox.open());
        const Sender sender(inbox);
        QVERIFY(sender.send("short\n" + std::string(kLongest + 1, 'x') + "\nafter\n"));
        QCOMPARE(inbox.next(), Line("short"));
        QCOMPARE(inbox.next(), Line("after"));
        // Longer than all that is ever kept of one.
        for (int piece = 0; piece < 50; ++piece) {
            QVERIFY(sender.send(std::string(kLongest, 'x')));
            QCOMPARE(inbox.next(), Line());
        }
        QVERIFY(sender.send("end\nand on\n" + std::string(kLongest, 'y') + "\n"));
        QCOMPARE(inbox.next(), Line("and on"));
        QCOMPARE(inbox.next(), Line(std::string(kLongest, 'y')));
        QCOMPARE(inbox.socket->droppedLines(), std::uint64_t{2});
    }

    void whoSendsMoreThanIsTakenIsHeldBackAndLosesNothing() {
        Inbox inbox;
        QVERIFY(inbox.open());
        const Sender sender(inbox);
        const std::string line(kLongest - 1, 'x');
        int sent = 0;
        while (sent < 100000 && sender.send(line + '\n'))
            ++sent;
        QVERIFY2(sent < 100000, "the queue has no limit");
        int taken = 0;
        while (inbox.next())
            ++taken;
        QVERIFY(taken >= sent && taken <= sent + 1);
        QVERIFY(sender.send("\n"));  // ends what was cut in two
    }
};

QTEST_GUILESS_MAIN(LocalReceiverTest)
#include "tst_local_receiver.moc"
