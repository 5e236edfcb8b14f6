// SPDX-License-Identifier: Apache-2.0
// The kernel ends processes of a job for want of memory: a control group of the test's own is as
// good as a full host.
#include <QtTest>
#include <tuple>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

const QString kControl = LOCKSTEP_BINARY_DIR "/bin/lockstepctl";
constexpr const char* kNoGroup =
    "no control group for memory can be made here (that needs root, and cgroups that can be "
    "written)";

/// A control group whose processes have `bytes` of memory together, for as long as it lives.
class TightGroup {
public:
    explicit TightGroup(qint64 bytes) {
        const bool isFirstVersion = QDir(kFirst).exists();
        static int number = 0;
        folder_ = QString("%1/lockstep-test-%2-%3")
                      .arg(isFirstVersion ? kFirst : kSecond)
                      .arg(::getpid())
                      .arg(number++);
        if (!QDir().mkdir(folder_)) return;
        works_ = write(isFirstVersion ? "memory.limit_in_bytes" : "memory.max",
                       QByteArray::number(bytes));
        // Without it what does not fit is written out to the disk.
        std::ignore = write(isFirstVersion ? "memory.swappiness" : "memory.swap.max", "0");
    }
    ~TightGroup() { QDir().rmdir(folder_); }
    [[nodiscard]] bool works() const { return works_; }
    /// A command that runs `program` in it.
    [[nodiscard]] QStringList command(const QString& program, const QStringList& arguments) const {
        return QStringList{"-c", "echo $$ >\"$0\" && exec \"$@\"", folder_ + "/cgroup.procs",
                           program} +
               arguments;
    }

private:
    static constexpr const char* kFirst = "/sys/fs/cgroup/memory";
    static constexpr const char* kSecond = "/sys/fs/cgroup";

    [[nodiscard]] bool write(const QString& name, const QByteArray& value) const {
        QFile file(folder_ + "/" + name);
        return file.open(QIODevice::WriteOnly) && file.write(value) == value.size() && file.flush();
    }

    QString folder_;
    bool works_ = false;
};

/// Two processes that need far more than the group has, each for itself.
QByteArray hungryJob() {
    QByteArray job = longerJob(100);
    job.replace("units = 32", "units = 4096");
    return job;
}

}  // namespace

class OutOfMemoryTest : public QObject {
    Q_OBJECT
private slots:
    void whoIsKilledForWantOfMemoryIsNamedWithThat() {
        const TightGroup group(60 << 20);
        if (!group.works()) QSKIP(kNoGroup);
        const Workplace place;
        place.write("job.toml", hungryJob());
        const auto run = place.startProgram(
            "/bin/sh",
            group.command(kControl, {"run", "job.toml", "--processes", "2", "--run-dir", "run"}));
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(ended.errors.contains("was killed by signal 9 (SIGKILL): memory ran out"),
                 ended.words());
        QVERIFY2(ended.errors.contains("Give the host more memory"), ended.words());
        QVERIFY(place.nothingRunsSoon());
    }

    /// It is small, and the kernel takes it only after all others: one kill of the kernel's in its
    /// group and the agent's death by the same signal look alike.
    void soIsAnAgentThatIsKilledSo() {
        const TightGroup group(400 << 20);
        if (!group.works()) QSKIP(kNoGroup);
        const Ended ended = endOfAnAgentKilledBehind(group, group);
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(ended.errors.contains("the run's agent was killed by signal 9 (SIGKILL): memory "
                                       "ran out, of its host or of its control group"),
                 ended.words());
        QVERIFY2(ended.errors.contains("Give the host more memory"), ended.words());
        QVERIFY2(ended.errors.contains("`--resume` goes on"), ended.words());
    }

    void whatTheKernelDoesInOtherGroupsExplainsNothing() {
        const TightGroup group(400 << 20);
        const TightGroup other(20 << 20);
        if (!group.works() || !other.works()) QSKIP(kNoGroup);
        const Ended ended = endOfAnAgentKilledBehind(group, other);
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(ended.errors.contains("the run's agent was killed by signal 9 (SIGKILL)"),
                 ended.words());
        QVERIFY2(!ended.errors.contains("memory ran out"), ended.words());
    }

private:
    /// Of a run in one group whose agent is killed just after the kernel has killed another process
    /// in the group `tight`, for want of memory.
    static Ended endOfAnAgentKilledBehind(const TightGroup& group, const TightGroup& tight) {
        const Workplace place;
        place.write("job.toml", longerJob(400));
        const auto run = place.startProgram(
            "/bin/sh",
            group.command(kControl, {"run", "job.toml", "--processes", "2", "--run-dir", "run"}));
        if (!place.firstCheckpointComes("run")) return run->waitForEnd();
        const auto hungry = place.startProgram(
            "/bin/sh",
            tight.command("/bin/sh", {"-c", "head -c 700M /dev/zero | tail -c 650M >/dev/null"}));
        const Ended killed = hungry->waitForEnd();
        if (!killed.exitedWith(128 + SIGKILL)) return killed;
        for (const auto& agent : place.processes("run", "agent"))
            ::kill(agent.pid, SIGKILL);
        const Ended ended = run->waitForEnd();
        return place.nothingRunsSoon() ? ended : Ended();
    }
};

QTEST_GUILESS_MAIN(OutOfMemoryTest)
#include "tst_out_of_memory.moc"
