// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/launch/doctor/facts/host_facts.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

struct KnownFilesystem {
    std::uint64_t magic;
    const char* name;
    bool network;
};

// Of those that linux/magic.h does not name, the numbers that statfs(2) lists.
constexpr std::array kKnownFilesystems = {
    KnownFilesystem{EXT4_SUPER_MAGIC, "ext4", false},
    KnownFilesystem{XFS_SUPER_MAGIC, "xfs", false},
    KnownFilesystem{BTRFS_SUPER_MAGIC, "btrfs", false},
    KnownFilesystem{TMPFS_MAGIC, "tmpfs", false},
    KnownFilesystem{OVERLAYFS_SUPER_MAGIC, "overlay", false},
    KnownFilesystem{0x2fc12fc1, "zfs", false},
    KnownFilesystem{NFS_SUPER_MAGIC, "nfs", true},
    KnownFilesystem{SMB_SUPER_MAGIC, "smb", true},
    KnownFilesystem{CIFS_SUPER_MAGIC, "cifs", true},
    KnownFilesystem{SMB2_SUPER_MAGIC, "smb", true},
    KnownFilesystem{CEPH_SUPER_MAGIC, "ceph", true},
    KnownFilesystem{AFS_SUPER_MAGIC, "afs", true},
    KnownFilesystem{FUSE_SUPER_MAGIC, "fuse", true},
    KnownFilesystem{0x0bd00bd0, "lustre", true},
    KnownFilesystem{0x47504653, "gpfs", true},
};

void addFilesystem(const fs::path& folder, wire::FolderFacts& facts) {
    struct statfs kind {};
    if (::statfs(folder.c_str(), &kind) == 0) {
        facts.set_filesystem(fmt::format("{:#x}", static_cast<std::uint64_t>(kind.f_type)));
        for (const KnownFilesystem& known : kKnownFilesystems)
            if (known.magic == static_cast<std::uint64_t>(kind.f_type)) {
                facts.set_filesystem(known.name);
                facts.set_network_filesystem(known.network);
            }
    }
    struct statvfs space {};
    if (::statvfs(folder.c_str(), &space) != 0) return;
    facts.set_free_bytes(space.f_bavail * space.f_frsize);
    facts.set_free_inodes(space.f_favail);
    facts.set_read_only((space.f_flag & ST_RDONLY) != 0);
}

/// By writing: modes alone tell neither of read-only mounts nor of quotas.
void tryToWrite(const fs::path& folder, wire::FolderFacts& facts) {
    const fs::path probe = folder / (".lockstep-doctor-" + randomHex(8));
    const UniqueFd file(::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.valid()) {
        facts.set_error(errnoText());
        return;
    }
    if (auto written = writeAll(file.get(), std::string_view("lockstep")); written)
        facts.set_writable(true);
    else
        facts.set_error(written.error().message);
    ::unlink(probe.c_str());
}

}  // namespace

wire::FolderFacts examineFolder(const fs::path& folder) {
    wire::FolderFacts facts;
    facts.set_path(folder.string());
    if (folder.empty()) return facts;
    fs::path existing = folder;
    std::error_code error;
    while (!fs::exists(existing, error) && existing.has_relative_path())
        existing = existing.parent_path();
    facts.set_existing(existing.string());
    addFilesystem(existing, facts);
    if (fs::is_directory(existing, error))
        tryToWrite(existing, facts);
    else
        facts.set_error("it is not a folder");
    return facts;
}

}  // namespace lockstep::launch
