// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_emulation/block.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace cuda_emulation {

Place place;

namespace {

constexpr std::size_t kWarp = 32;
constexpr std::size_t kStack = std::size_t{64} << 10;
constexpr std::size_t kMostBytes = 16;  ///< Of a value that a lane hands over.

enum class State { Ready, AtBlock, AtWarp, Done };

/// A thread of a block that can wait for the others. It is made once, by ucontext, and switched by
/// setjmp, which makes no system call.
struct Fiber {
    ucontext_t start{};
    jmp_buf where{};
    void* stack = nullptr;
    bool begun = false;
    State state = State::Done;
    uint3 thread{};
    std::array<std::array<std::byte, kMostBytes>, 2> given{};
    unsigned turn = 0;  ///< Which of them is used: a lane may be one exchange ahead.
};

struct Block {
    std::vector<std::unique_ptr<Fiber>> fibers;
    jmp_buf scheduler{};
    Fiber* current = nullptr;
    std::size_t size = 0;
    const std::function<void()>* body = nullptr;

    ~Block() {
        for (const auto& fiber : fibers)
            ::munmap(fiber->stack, kStack);
    }
};

// Not a thread's own: one kernel runs at a time, with the devices' lock.
Block theBlock;
unsigned launches = 0;

[[noreturn]] void giveUp(const std::string& name, const char* what) {
    std::fprintf(stderr, "cuda emulation: kernel %s: %s\n", name.c_str(), what);
    std::abort();
}

void leaveFiber(State state) {
    Fiber& fiber = *theBlock.current;
    fiber.state = state;
    if (_setjmp(fiber.where) == 0) _longjmp(theBlock.scheduler, 1);
}

void fiberMain() {
    for (;;) {
        (*theBlock.body)();
        leaveFiber(State::Done);
    }
}

void resume(Fiber& fiber) {
    theBlock.current = &fiber;
    place.thread = fiber.thread;
    if (_setjmp(theBlock.scheduler) != 0) return;
    if (fiber.begun) _longjmp(fiber.where, 1);
    fiber.begun = true;
    ::setcontext(&fiber.start);
}

void reserveFibers(std::size_t count) {
    while (theBlock.fibers.size() < count) {
        auto fiber = std::make_unique<Fiber>();
        fiber->stack = ::mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (fiber->stack == MAP_FAILED || ::getcontext(&fiber->start) != 0)
            giveUp("", "no memory for its threads");
        fiber->start.uc_stack.ss_sp = fiber->stack;
        fiber->start.uc_stack.ss_size = kStack;
        ::makecontext(&fiber->start, fiberMain, 0);
        theBlock.fibers.push_back(std::move(fiber));
    }
}

/// Lets all threads from `begin` to `end` go on if all that have not ended wait in `state`.
bool release(std::size_t begin, std::size_t end, State state, bool endedCount) {
    bool any = false;
    for (std::size_t i = begin; i < end; ++i) {
        const State one = theBlock.fibers[i]->state;
        if (one == State::Done && !endedCount) continue;
        if (one != state) return false;
        any = true;
    }
    for (std::size_t i = begin; i < end; ++i)
        if (theBlock.fibers[i]->state == state) theBlock.fibers[i]->state = State::Ready;
    return any;
}

bool releaseSome() {
    bool any = release(0, theBlock.size, State::AtBlock, false);
    // A lane that has ended never comes: who waits for the whole warp waits for ever.
    for (std::size_t begin = 0; begin < theBlock.size; begin += kWarp)
        any |= release(begin, std::min(begin + kWarp, theBlock.size), State::AtWarp, true);
    return any;
}

uint3 threadAt(std::size_t index, dim3 size) {
    const auto x = static_cast<unsigned>(index);
    return {x % size.x, x / size.x % size.y, x / size.x / size.y};
}

void runWaitingBlock(const std::string& name, bool backward) {
    const auto count = theBlock.size;
    for (std::size_t i = 0; i < count; ++i) {
        theBlock.fibers[i]->state = State::Ready;
        theBlock.fibers[i]->thread = threadAt(i, place.blockSize);
    }
    for (;;) {
        std::size_t ended = 0;
        for (std::size_t i = 0; i < count; ++i) {
            Fiber& fiber = *theBlock.fibers[backward ? count - 1 - i : i];
            if (fiber.state == State::Ready) resume(fiber);
            if (fiber.state == State::Done) ++ended;
        }
        if (ended == count) return;
        if (!releaseSome()) giveUp(name, "threads wait where others never come");
    }
}

void runPlainBlock(std::size_t count, bool backward, const std::function<void()>& thread) {
    for (std::size_t i = 0; i < count; ++i) {
        place.thread = threadAt(backward ? count - 1 - i : i, place.blockSize);
        thread();
    }
}

}  // namespace

void runGrid(const std::string& name, dim3 grid, dim3 block, bool waits,
             const std::function<void()>& thread) {
    const bool backward = ++launches % 2 == 0;
    place.blockSize = block;
    place.gridSize = grid;
    theBlock.size = std::size_t{block.x} * block.y * block.z;
    theBlock.body = &thread;
    theBlock.current = nullptr;
    if (waits) reserveFibers(theBlock.size);
    for (unsigned z = 0; z < grid.z; ++z)
        for (unsigned y = 0; y < grid.y; ++y)
            for (unsigned x = 0; x < grid.x; ++x) {
                place.block = {x, y, z};
                if (waits)
                    runWaitingBlock(name, backward);
                else
                    runPlainBlock(theBlock.size, backward, thread);
            }
}

unsigned laneOfThread() {
    const Place& here = place;
    const unsigned number =
        (here.thread.z * here.blockSize.y + here.thread.y) * here.blockSize.x + here.thread.x;
    return number % kWarp;
}

void waitForBlock() {
    if (theBlock.current == nullptr) giveUp("", "a barrier that was not announced");
    leaveFiber(State::AtBlock);
}

void waitForWarp() {
    if (theBlock.current == nullptr) giveUp("", "a barrier that was not announced");
    leaveFiber(State::AtWarp);
}

void exchangeInWarp(const void* mine, void* theirs, std::size_t bytes, unsigned partner) {
    if (theBlock.current == nullptr || bytes > kMostBytes || partner >= kWarp)
        giveUp("", "an exchange that is not emulated");
    Fiber& fiber = *theBlock.current;
    const unsigned turn = fiber.turn ^= 1U;
    std::memcpy(fiber.given[turn].data(), mine, bytes);
    const Place& here = place;
    const unsigned number =
        (here.thread.z * here.blockSize.y + here.thread.y) * here.blockSize.x + here.thread.x;
    waitForWarp();
    const Fiber& other = *theBlock.fibers[number / kWarp * kWarp + partner];
    std::memcpy(theirs, other.given[turn].data(), bytes);
}

}  // namespace cuda_emulation
