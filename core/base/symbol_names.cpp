// SPDX-License-Identifier: Apache-2.0
#include "core/base/symbol_names.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "core/base/file.h"

namespace lockstep {

namespace {

constexpr std::size_t kMostLetters = 200;  // templates have names of pages

std::string readable(const char* name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> plain(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
    std::string text = status == 0 && plain ? plain.get() : name;
    if (text.size() > kMostLetters) text = text.substr(0, kMostLetters) + "...";
    return text;
}

/// A path that leads to the file: the program's own may have been replaced since it was started.
std::string pathOf(const Dl_info& info) {
    Dl_info own{};
    if (::dladdr(reinterpret_cast<const void*>(&readable), &own) != 0 &&
        own.dli_fbase == info.dli_fbase)
        return "/proc/self/exe";
    return info.dli_fname == nullptr ? "" : info.dli_fname;
}

}  // namespace

/// The table of symbols of a program or library, of which nothing need be true.
class SymbolNames::File {
public:
    explicit File(const std::string& path) {
        const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        struct stat facts {};
        if (!fd.valid() || ::fstat(fd.get(), &facts) != 0 || facts.st_size <= 0) return;
        const auto size = static_cast<std::size_t>(facts.st_size);
        void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
        if (mapped == MAP_FAILED) return;
        bytes_ = {static_cast<const std::byte*>(mapped), size};
        findTables();
    }
    ~File() {
        if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    /// The function at this place of the file's memory, and how far within it that is.
    [[nodiscard]] std::optional<std::pair<const char*, std::uint64_t>> functionAt(
        std::uint64_t place) const {
        for (std::size_t i = 0; i < symbols_.size() / sizeof(Elf64_Sym); ++i) {
            Elf64_Sym symbol{};
            std::memcpy(&symbol, symbols_.data() + i * sizeof symbol, sizeof symbol);
            const bool isHere = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
                                place >= symbol.st_value &&
                                place - symbol.st_value < symbol.st_size;
            if (isHere && symbol.st_name < texts_.size())
                return std::pair(reinterpret_cast<const char*>(texts_.data()) + symbol.st_name,
                                 place - symbol.st_value);
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] std::span<const std::byte> part(std::uint64_t begin, std::uint64_t size) const {
        if (begin > bytes_.size() || size > bytes_.size() - begin) return {};
        return bytes_.subspan(begin, size);
    }
    void findTables() {
        Elf64_Ehdr head{};
        if (bytes_.size() < sizeof head) return;
        std::memcpy(&head, bytes_.data(), sizeof head);
        const bool isElf = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                           head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_type == ET_DYN &&
                           head.e_shentsize == sizeof(Elf64_Shdr);
        const auto table = part(head.e_shoff, std::uint64_t{head.e_shnum} * sizeof(Elf64_Shdr));
        if (!isElf) return;
        const auto sectionAt = [&](std::size_t index) {
            Elf64_Shdr section{};
            if (index < table.size() / sizeof section)
                std::memcpy(&section, table.data() + index * sizeof section, sizeof section);
            return section;
        };
        for (std::size_t i = 0; i < head.e_shnum; ++i) {
            const Elf64_Shdr section = sectionAt(i);
            if (section.sh_type != SHT_SYMTAB) continue;
            const Elf64_Shdr names = sectionAt(section.sh_link);
            symbols_ = part(section.sh_offset, section.sh_size);
            texts_ = part(names.sh_offset, names.sh_size);
            const bool isEnded = !texts_.empty() && texts_.back() == std::byte{0};
            if (!isEnded) texts_ = {};
        }
    }

    std::span<const std::byte> bytes_;
    std::span<const std::byte> symbols_;
    std::span<const std::byte> texts_;
};

SymbolNames::SymbolNames() = default;
SymbolNames::~SymbolNames() = default;

const SymbolNames::File& SymbolNames::fileOf(const std::string& path) {
    auto& file = files_[path];
    if (!file) file = std::make_unique<File>(path);
    return *file;
}

std::string SymbolNames::nameOf(const void* address) {
    Dl_info info{};
    if (::dladdr(address, &info) == 0) return fmt::format("{}", address);
    const std::string path = pathOf(info);
    const std::string given = info.dli_fname == nullptr ? "" : info.dli_fname;
    const std::string module = given.substr(given.rfind('/') + 1);
    const auto place = reinterpret_cast<std::uintptr_t>(address) -
                       reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    if (info.dli_sname != nullptr) {
        const auto within = reinterpret_cast<std::uintptr_t>(address) -
                            reinterpret_cast<std::uintptr_t>(info.dli_saddr);
        return fmt::format("{} +{:#x} ({})", readable(info.dli_sname), within, module);
    }
    if (const auto function = fileOf(path).functionAt(place))
        return fmt::format("{} +{:#x} ({})", readable(function->first), function->second, module);
    return fmt::format("{} +{:#x}", module, place);
}

}  // namespace lockstep
