// SPDX-License-Identifier: Apache-2.0
// What a program does first, tried in processes of their own.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <cerrno>
#include <functional>
#include <stdexcept>
#include <string>

#include "core/base/program_start.h"
#include "core/base/thread.h"

using namespace lockstep;

namespace {

struct End {
    int status = 0;
    std::string words;  ///< On standard error.

    [[nodiscard]] bool exitedWith(int expected) const {
        return WIFEXITED(status) && WEXITSTATUS(status) == expected;
    }
};

End endOf(const std::function<int()>& work) {
    int ends[2];
    if (::pipe(ends) != 0) qFatal("no pipe");
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        const rlimit noCore{0, 0};
        ::setrlimit(RLIMIT_CORE, &noCore);
        for (const int signal : {SIGABRT, SIGXFSZ, SIGPIPE})
            ::signal(signal, SIG_DFL);  // of the test program
        // Nobody catches what it throws: Qt Test would, and go on in this process.
        ::_exit([&work]() noexcept { return work(); }());
    }
    ::close(ends[1]);
    End end;
    char text[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], text, sizeof text)) > 0;)
        end.words.append(text, static_cast<std::size_t>(got));
    ::close(ends[0]);
    ::waitpid(pid, &end.status, 0);
    return end;
}

}  // namespace

class ProgramStartTest : public QObject {
    Q_OBJECT
private slots:
    void descriptorsThatAreClosedLeadToNothing() {
        const End end = endOf([] {
            for (int fd = 0; fd <= 2; ++fd)
                ::close(fd);
            prepareProgram();
            char byte = 0;
            const bool swallow = ::write(1, "x", 1) == 1 && ::write(2, "x", 1) == 1;
            return ::read(0, &byte, 1) == 0 && swallow && ::open("/dev/null", O_RDONLY) > 2 ? 0 : 1;
        });
        QVERIFY(end.exitedWith(0));
    }
    void aFileThatIsTooLargeIsAnErrorOfTheWrite() {
        QTemporaryDir folder;
        const std::string file = folder.filePath("file").toStdString();
        const End end = endOf([&file] {
            prepareProgram();
            const rlimit few{100, 100};
            ::setrlimit(RLIMIT_FSIZE, &few);
            const int fd = ::open(file.c_str(), O_CREAT | O_WRONLY, 0600);
            const std::string text(200, 'x');
            const bool part = ::write(fd, text.data(), text.size()) == 100;
            return part && ::write(fd, "x", 1) == -1 && errno == EFBIG ? 0 : 1;
        });
        QVERIFY(end.exitedWith(0));
    }
    void exceptionsThatNobodyCatchesEndItInWords() {
#if defined(__SANITIZE_THREAD__)
        QSKIP("ThreadSanitizer starts no threads in a process that was forked");
#endif
        const End memory = endOf([] {
            prepareProgram();
            startThread("greedy", [](const std::stop_token&) { throw std::bad_alloc(); }).join();
            return 0;
        });
        QVERIFY(memory.exitedWith(1));
        QCOMPARE(memory.words, std::string("error: there is not enough memory\n"));
        const End threads = endOf([]() -> int {
            prepareProgram();
            throw std::system_error(EAGAIN, std::generic_category());
        });
        QVERIFY(threads.exitedWith(1));
        QVERIFY(threads.words.starts_with("error: the system refuses what is needed: "));
        const End defect = endOf([]() -> int {
            prepareProgram();
            throw std::out_of_range("here");
        });
        QVERIFY(WIFSIGNALED(defect.status));
        QCOMPARE(defect.words, std::string("error: this is a defect of Lockstep: here\n"));
    }
};

QTEST_GUILESS_MAIN(ProgramStartTest)
#include "tst_program_start.moc"
