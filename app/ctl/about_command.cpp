// SPDX-License-Identifier: Apache-2.0
// lockstepctl about: the name, the tags and the note that a user gives a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "app/ctl/commands.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/error_output.h"
#include "core/job/fold/run_about.h"

namespace lockstep::app {

namespace {

struct Wish {
    std::string run;
    std::vector<std::string> names;  ///< As the command line has them: one is taken.
    std::vector<std::string> notes;
    std::vector<std::string> tags;
    std::vector<std::string> untags;
    [[nodiscard]] bool isEmpty() const {
        return names.empty() && notes.empty() && tags.empty() && untags.empty();
    }
};

void print(const job::RunAbout& about) {
    if (about.isEmpty()) std::printf("nothing is said of it\n");
    if (!about.name.empty()) std::printf("name  %s\n", about.name.c_str());
    if (!about.tags.empty())
        std::printf("tags  %s\n", fmt::format("{}", fmt::join(about.tags, " ")).c_str());
    if (!about.note.empty()) std::printf("%s\n", about.note.c_str());
}

int tell(const Wish& wish) {
    const auto folder = findRun(wish.run);
    if (!folder) return report(folder.error());
    auto about = job::readAbout(*folder);
    if (!about) return report(about.error());
    if (wish.isEmpty()) {
        print(*about);
        return 0;
    }
    if (!wish.names.empty()) about->name = wish.names.back();
    if (!wish.notes.empty()) about->note = wish.notes.back();
    for (const std::string& word : wish.tags)
        for (std::string& tag : job::tagsIn(word))
            about->tags.push_back(std::move(tag));
    for (const std::string& word : wish.untags)
        for (const std::string& tag : job::tagsIn(word))
            std::erase(about->tags, tag);
    if (const auto written = job::writeAbout(*folder, *about); !written)
        return report(written.error());
    return 0;
}

}  // namespace

Command addAboutCommand(CommandLine& program) {
    auto wish = std::make_shared<Wish>();
    ArgumentList command =
        program.addCommand("about", "show, or change, a run's name, tags and note");
    command.add("run", wish->run, "the run's folder, or its id").required();
    command.add("--name", wish->names, "what it is called from now on; \"\": as its folder");
    command.add("--tag", wish->tags, "a word to find it by");
    command.add("--untag", wish->untags, "a tag that it no longer has");
    command.add("--note", wish->notes, "a note of any length; \"\": none");
    return [wish] { return tell(*wish); };
}

}  // namespace lockstep::app
