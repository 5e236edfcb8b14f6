// SPDX-License-Identifier: Apache-2.0
// What a host tells of itself and whom it reaches: on this machine, with real sockets and files.
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "core/launch/doctor/facts/host_facts.h"
#include "core/launch/doctor/facts/listening_ports.h"
#include "core/wire/connections.h"
#include "core/wire/echo_listener.h"

namespace lockstep {

namespace fs = std::filesystem;

using wire::EchoListener;

namespace {

const std::string kToken(wire::kEchoTokenBytes, 'a');

wire::OpenListener wanted(const std::string& address, std::uint32_t port = 0) {
    wire::OpenListener request;
    request.set_address(address);
    request.set_port(port);
    request.set_token(kToken);
    return request;
}

void addTarget(wire::TryConnections& request, const std::string& host, std::uint32_t port,
               const std::string& token = kToken) {
    wire::ConnectionTarget& target = *request.add_targets();
    target.set_host(host);
    target.set_port(port);
    target.set_token(token);
}

void write(const fs::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
}

wire::DataFacts examined(const std::string& dataset, const fs::path& directory,
                         const std::vector<std::pair<std::string, fs::path>>& places = {}) {
    wire::Examine what;
    what.set_dataset(dataset);
    what.set_data_directory(directory.string());
    for (const auto& [key, path] : places) {
        what.add_data_places()->set_key(key);
        what.mutable_data_places(what.data_places_size() - 1)->set_path(path.string());
    }
    return launch::examineData(what);
}

void writeData(const fs::path& folder, const std::string& pixels) {
    fs::create_directories(folder);
    for (const char* name :
         {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte"})
        write(folder / name, name);
    write(folder / "t10k-labels-idx1-ubyte", pixels);
}

}  // namespace

class TestDoctorProbes : public QObject {
    Q_OBJECT
private slots:
    void aListenerIsReachedByWhoKnowsItsToken() {
        wire::ListenerOpened opened;
        const auto listener = EchoListener::open(wanted("127.0.0.1"), opened);
        QVERIFY(listener != nullptr);
        wire::TryConnections request;
        request.set_timeout_ms(5000);
        for (int i = 0; i < 20; ++i)
            addTarget(request, i % 2 == 0 ? "127.0.0.1" : "localhost", opened.port());
        const auto tried = wire::tryConnections(request);
        QCOMPARE(tried.results_size(), 20);
        for (const auto& result : tried.results()) {
            QCOMPARE(result.outcome(), wire::CONNECTION_REACHED);
            QCOMPARE(result.source(), std::string("127.0.0.1"));
        }
    }

    void aStrangersPortAClosedPortAndAnUnknownNameAreTold() {
        wire::ListenerOpened opened;
        const auto listener = EchoListener::open(wanted("127.0.0.1"), opened);
        wire::ListenerOpened gone;
        std::ignore = EchoListener::open(wanted("127.0.0.1"), gone);  // closed again at once
        wire::TryConnections request;
        request.set_timeout_ms(3000);
        addTarget(request, "127.0.0.1", opened.port(), std::string(wire::kEchoTokenBytes, 'b'));
        addTarget(request, "127.0.0.1", gone.port());
        addTarget(request, "no-such-host.invalid", 1);
        const auto tried = wire::tryConnections(request);
        QCOMPARE(tried.results(0).outcome(), wire::CONNECTION_STRANGER);
        QCOMPARE(tried.results(1).outcome(), wire::CONNECTION_REFUSED);
        QCOMPARE(tried.results(2).outcome(), wire::CONNECTION_UNKNOWN_NAME);
    }

    void ofVeryManyTargetsEachIsTried() {
        wire::ListenerOpened opened;
        const auto listener = EchoListener::open(wanted("127.0.0.1"), opened);
        wire::ListenerOpened gone;
        std::ignore = EchoListener::open(wanted("127.0.0.1"), gone);  // closed again at once
        wire::TryConnections request;
        request.set_timeout_ms(5000);
        for (int i = 0; i < 2100; ++i)
            addTarget(request, "127.0.0.1", i % 1000 == 99 ? opened.port() : gone.port());
        const auto tried = wire::tryConnections(request);
        QCOMPARE(tried.results_size(), 2100);
        for (int i = 0; i < 2100; ++i)
            QCOMPARE(tried.results(i).outcome(),
                     i % 1000 == 99 ? wire::CONNECTION_REACHED : wire::CONNECTION_REFUSED);
    }

    void aPortThatIsTakenNamesItsHolder() {
        wire::ListenerOpened first;
        const auto listener = EchoListener::open(wanted("127.0.0.1"), first);
        wire::ListenerOpened second;
        QVERIFY(EchoListener::open(wanted("127.0.0.1", first.port()), second) == nullptr);
        QCOMPARE(second.problem(), wire::LISTEN_IN_USE);
        launch::nameHolder(wanted("127.0.0.1", first.port()), second);
        QCOMPARE(second.holder_pid(), std::int64_t{::getpid()});
        QVERIFY(second.holder().starts_with("tst_doctor_prob"));
    }

    void anAddressOfAnotherMachineCannotBeListenedAt() {
        wire::ListenerOpened opened;
        QVERIFY(EchoListener::open(wanted("192.0.2.1", 7777), opened) == nullptr);
        QCOMPARE(opened.problem(), wire::LISTEN_NOT_OWN_ADDRESS);
        wire::ListenerOpened unknown;
        QVERIFY(EchoListener::open(wanted("no-such-host.invalid"), unknown) == nullptr);
        QCOMPARE(unknown.problem(), wire::LISTEN_UNKNOWN_NAME);
    }

    void systemFactsAreThere() {
        wire::HostFacts facts;
        ::setenv("https_proxy", "http://user:secret@proxy:3128", 1);
        launch::addSystemFacts(facts);
        ::unsetenv("https_proxy");
        QCOMPARE(facts.host(), hostName());
        QVERIFY(facts.memory_available_bytes() > 0 &&
                facts.memory_available_bytes() <= facts.memory_bytes());
        QVERIFY(facts.glibc().starts_with("2."));
        QVERIFY(facts.open_files_limit() > 0);
        QVERIFY(std::ranges::count(facts.proxies(), "https_proxy") == 1);
        QVERIFY(facts.SerializeAsString().find("secret") == std::string::npos);
    }

    void namesAreLookedUpWithTheirInterface() {
        wire::Examine what;
        what.add_names("localhost");
        what.add_names("no-such-host.invalid");
        wire::HostFacts facts;
        launch::addNetworkFacts(what, facts);
        QCOMPARE(facts.lookups(0).interface(), std::string("lo"));
        QVERIFY(facts.lookups(1).address().empty() && !facts.lookups(1).error().empty());
        QVERIFY(std::ranges::any_of(facts.interfaces(), &wire::NetworkInterface::loopback));
    }

    void manyNamesAreLookedUp() {
        wire::Examine what;
        for (int i = 0; i < launch::kMostNames + 10; ++i)
            what.add_names(fmt::format("127.0.{}.{}", i / 250, 1 + i % 250));
        wire::HostFacts facts;
        launch::addNetworkFacts(what, facts);
        QCOMPARE(facts.lookups_size(), launch::kMostNames);
        for (const wire::NameLookup& lookup : facts.lookups())
            QCOMPARE(lookup.address(), lookup.name());
    }

    void anAgentIsFoundThoughItHasManyWorkers() {
        const QTemporaryDir dir;
        const fs::path program = fs::path(dir.path().toStdString()) / "lockstep-worker";
        fs::copy_file(fs::canonical("/bin/sh"), program);
        std::vector<std::unique_ptr<QProcess>> processes;
        const auto start = [&](const QString& argument) {
            auto& process = *processes.emplace_back(std::make_unique<QProcess>());
            process.start(QString::fromStdString(program.string()),
                          {"-c", "echo here; read end", argument});
            QVERIFY(process.waitForReadyRead(20'000));
        };
        for (int i = 0; i < 70; ++i)
            start("--member");
        start("--agent");
        const qint64 agent = processes.back()->processId();
        wire::HostFacts facts;
        launch::addLeftovers(facts);
        for (const auto& process : processes) {
            process->closeWriteChannel();
            QVERIFY(process->waitForFinished(20'000));
        }
        int members = 0;
        bool hasAgent = false;
        for (const wire::Leftover& leftover : facts.leftovers()) {
            members += leftover.role() == "member" ? 1 : 0;
            hasAgent = hasAgent || leftover.pid() == agent;
            QVERIFY(leftover.role() != "agent" || members == 0);  // agents first
        }
        QVERIFY(members >= 70);
        QVERIFY(hasAgent);
    }

    void aFolderIsJudgedByTheNearestThatExists() {
        const QTemporaryDir dir;
        const fs::path root = dir.path().toStdString();
        const auto facts = launch::examineFolder(root / "runs" / "new");
        QCOMPARE(facts.existing(), root.string());
        QVERIFY(facts.writable());
        QVERIFY(facts.free_bytes() > 0 && !facts.filesystem().empty());
        QVERIFY(fs::is_empty(root));  // nothing is left behind
        write(root / "file", "");
        QVERIFY(!launch::examineFolder(root / "file").writable());
        const auto proc = launch::examineFolder("/proc/self");
        QVERIFY(!proc.writable() && !proc.error().empty());
    }

    void dataAreEqualByWhatTheyHold() {
        const QTemporaryDir dir;
        const fs::path root = dir.path().toStdString();
        writeData(root / "a", "seven");
        writeData(root / "b", "seven");
        writeData(root / "c", "eight");
        const auto a = examined("mnist", root / "a");
        QVERIFY(a.present() && !a.fingerprint().empty());
        QCOMPARE(examined("mnist", root / "b").fingerprint(), a.fingerprint());
        QVERIFY(examined("mnist", root / "c").fingerprint() != a.fingerprint());
        QCOMPARE(::system(("gzip " + (root / "b" / "train-images-idx3-ubyte").string()).c_str()),
                 0);
        QCOMPARE(examined("mnist", root / "b").fingerprint(), a.fingerprint());
        fs::remove(root / "a" / "t10k-labels-idx1-ubyte");
        const auto less = examined("mnist", root / "a");
        QVERIFY(!less.present());
        QCOMPARE(less.missing_size(), 1);
        QVERIFY(!examined("digits", {}).needed());
    }

    void filesThatAJobNamesOneByOneAreCompared() {
        const QTemporaryDir dir;
        const fs::path root = dir.path().toStdString();
        for (const char* host : {"a", "b"}) {
            fs::create_directories(root / host);
            write(root / host / "x.csv", "x,y\n1,2\n");
            write(root / host / "z.csv", "x,y\n3,4\n");
        }
        const auto of = [&root](const char* host) {
            return examined(
                "table", {},
                {{"data.files", root / host / "x.csv"}, {"data.files", root / host / "z.csv"}});
        };
        const auto a = of("a");
        QVERIFY(a.needed() && a.present() && !a.fingerprint().empty());
        QCOMPARE(a.bytes(), std::uint64_t{16});
        QCOMPARE(of("b").fingerprint(), a.fingerprint());
        write(root / "b" / "z.csv", "x,y\n3,5\n");
        QVERIFY(of("b").fingerprint() != a.fingerprint());
        fs::remove(root / "b" / "z.csv");
        const auto less = of("b");
        QVERIFY(!less.present());
        QCOMPARE(less.missing_size(), 1);
        QCOMPARE(less.missing(0), (root / "b" / "z.csv").string());
    }

    void imagesOfAllFoldersAreCompared() {
        const QTemporaryDir dir;
        const fs::path root = dir.path().toStdString();
        for (const char* host : {"a", "b"})
            for (const char* set : {"train", "test"})
                for (const char* kind : {"ant", "bee"}) {
                    fs::create_directories(root / host / set / kind);
                    write(root / host / set / kind / "1.png", std::string("not read: ") + kind);
                }
        const auto of = [&root](const char* host) {
            return examined("image_folder", root / host / "train",
                            {{"data.test_directory", root / host / "test"}});
        };
        const auto a = of("a");
        QVERIFY2(a.present(), a.error().c_str());
        QCOMPARE(a.bytes(), std::uint64_t{4 * 13});
        QCOMPARE(of("b").fingerprint(), a.fingerprint());
        QVERIFY(examined("image_folder", root / "a" / "train").fingerprint() != a.fingerprint());
        write(root / "b" / "test" / "bee" / "1.png", "not read: cat");
        QVERIFY(of("b").fingerprint() != a.fingerprint());
        fs::remove_all(root / "b" / "test" / "bee");
        QVERIFY(of("b").present());  // a class may lack in the test set
        QVERIFY(of("b").fingerprint() != a.fingerprint());
        fs::remove_all(root / "b" / "train");
        QVERIFY(!of("b").present());
        QVERIFY(of("b").error().find("there is no directory") != std::string::npos);
    }

    void aLargeFileThatDiffersInOnePlaceHasAnotherFingerprint() {
        const QTemporaryDir dir;
        const fs::path root = dir.path().toStdString();
        writeData(root / "a", "seven");
        const fs::path large = root / "a" / "train-images-idx3-ubyte";
        fs::resize_file(large, std::uintmax_t{200} << 20);  // a hole: it takes no room
        const auto before = examined("idx", root / "a");
        QVERIFY(before.present());
        std::fstream file(large, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp((std::streamoff{200} << 20) - 10);
        file << "x";
        file.close();
        QVERIFY(examined("idx", root / "a").fingerprint() != before.fingerprint());
    }

    void aWorkerThatIsNoneIsTold() {
        wire::HostFacts facts;
        launch::addWorkerFacts("/bin/false", facts);
        QVERIFY(facts.build().empty());
        launch::addWorkerFacts("/no/such/program", facts);
        QVERIFY(facts.build().empty());
    }
};

}  // namespace lockstep

QTEST_GUILESS_MAIN(lockstep::TestDoctorProbes)
#include "tst_doctor_probes.moc"
