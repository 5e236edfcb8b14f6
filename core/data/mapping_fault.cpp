// SPDX-License-Identifier: Apache-2.0
#include "core/data/mapping_fault.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>

namespace lockstep::data {

namespace {

constexpr int kSlots = 256;

/// What the handler reads: plain memory that is there for the whole program, since a signal handler
/// must not allocate or lock.
struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<std::uintptr_t> begin{0};  ///< 0: the rest does not hold.
    std::uintptr_t end = 0;
    std::array<char, 1024> sentence{};
};

std::array<Slot, kSlots>& slots() {
    static std::array<Slot, kSlots> all;
    return all;
}

void say(const char* text) {
    (void)!::write(STDERR_FILENO, text, std::strlen(text));
}

void endInWords(int signal, siginfo_t* info, void* /*context*/) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (const Slot& slot : slots()) {
        const std::uintptr_t begin = slot.begin.load();
        if (begin == 0 || address < begin || address >= slot.end) continue;
        say(slot.sentence.data());
        ::_exit(1);
    }
    std::signal(signal, SIG_DFL);  // not ours: it comes again once this returns
    ::raise(signal);
}

void installOnce() {
    static std::once_flag once;
    std::call_once(once, [] {
        (void)slots();
        struct sigaction before {};
        if (::sigaction(SIGBUS, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
        struct sigaction action {};
        action.sa_sigaction = endInWords;
        action.sa_flags = SA_SIGINFO;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, nullptr);
    });
}

}  // namespace

MappingNote::MappingNote(const void* memory, std::size_t size, const std::filesystem::path& path)
    : slot_(-1) {
    installOnce();
    const std::string sentence = "error: " + path.string().substr(0, 800) +
                                 " was cut short, or its disk failed, while it was being read\n"
                                 "  Replace data files by renaming whole new ones, not in place.\n";
    for (int i = 0; i < kSlots; ++i) {
        Slot& slot = slots()[static_cast<std::size_t>(i)];
        if (slot.taken.exchange(true)) continue;
        std::copy_n(sentence.c_str(), sentence.size() + 1, slot.sentence.begin());
        const auto begin = reinterpret_cast<std::uintptr_t>(memory);
        slot.end = begin + size;
        slot.begin = begin;
        slot_ = i;
        return;
    }
}

MappingNote::~MappingNote() {
    if (slot_ < 0) return;
    Slot& slot = slots()[static_cast<std::size_t>(slot_)];
    slot.begin = 0;
    slot.taken = false;
}

}  // namespace lockstep::data
