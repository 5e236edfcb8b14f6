// SPDX-License-Identifier: Apache-2.0
#include "core/data/digit_strokes.h"

#include <array>

namespace lockstep::data {

namespace {

using Forms = std::vector<DigitForm>;

// Corners are where one stroke ends and the next begins at the same place.
Forms zero() {
    const PenStroke oval = {{.5F, 0},    {.2F, .12F}, {.05F, .5F}, {.2F, .88F}, {.5F, 1},
                            {.8F, .88F}, {.95F, .5F}, {.8F, .12F}, {.5F, 0}};
    const PenStroke crossed = {{.68F, .1F}, {.4F, .03F}, {.12F, .25F}, {.06F, .6F}, {.25F, .95F},
                               {.6F, .98F}, {.9F, .7F},  {.92F, .35F}, {.7F, .06F}, {.45F, .12F}};
    const PenStroke open = {{.62F, .05F}, {.3F, .1F}, {.1F, .45F}, {.15F, .8F}, {.45F, 1},
                            {.78F, .85F}, {.9F, .5F}, {.85F, .2F}, {.7F, .1F}};
    return {{oval}, {crossed}, {open}};
}

Forms one() {
    return {{{{.5F, 0}, {.5F, .5F}, {.48F, 1}}},
            {{{.28F, .25F}, {.55F, 0}}, {{.55F, 0}, {.54F, .5F}, {.52F, 1}}},
            {{{.25F, .22F}, {.4F, .14F}, {.55F, 0}},
             {{.55F, 0}, {.54F, 1}},
             {{.22F, 1}, {.85F, .99F}}}};
}

Forms two() {
    const PenStroke swing = {{.1F, .27F}, {.25F, .06F}, {.55F, 0},   {.85F, .15F},
                             {.83F, .4F}, {.55F, .7F},  {.08F, .98F}};
    const PenStroke looped = {{.1F, .22F},  {.4F, 0},     {.8F, .13F}, {.8F, .42F}, {.5F, .76F},
                              {.18F, .96F}, {.08F, .86F}, {.3F, .78F}, {.6F, .92F}, {.97F, .93F}};
    const PenStroke flat = {{.12F, .1F},  {.5F, 0},    {.88F, .12F},
                            {.78F, .45F}, {.4F, .75F}, {.1F, 1}};
    return {{swing, {{.08F, .98F}, {.5F, .95F}, {.95F, .97F}}},
            {looped},
            {flat, {{.1F, 1}, {.9F, .94F}}}};
}

Forms three() {
    const PenStroke upper = {{.1F, .14F}, {.42F, 0}, {.8F, .13F}, {.74F, .36F}, {.38F, .47F}};
    const PenStroke lower = {{.38F, .47F}, {.8F, .56F},  {.9F, .78F},
                             {.6F, .98F},  {.28F, .98F}, {.04F, .84F}};
    const PenStroke roundBelly = {{.4F, .4F}, {.8F, .5F},  {.9F, .75F},
                                  {.6F, 1},   {.2F, .97F}, {.06F, .82F}};
    const PenStroke joined = {{.08F, .1F},  {.45F, 0},   {.82F, .16F}, {.66F, .42F}, {.46F, .47F},
                              {.74F, .55F}, {.88F, .8F}, {.5F, 1},     {.08F, .9F}};
    return {{upper, lower},
            {joined},
            {{{.1F, .03F}, {.86F, .02F}}, {{.86F, .02F}, {.4F, .4F}}, roundBelly}};
}

Forms four() {
    return {{{{.2F, .02F}, {.14F, .3F}, {.08F, .55F}},
             {{.08F, .55F}, {.5F, .55F}, {.95F, .5F}},
             {{.72F, .02F}, {.7F, .5F}, {.66F, 1}}},
            {{{.65F, 0}, {.35F, .35F}, {.04F, .66F}},
             {{.04F, .66F}, {.95F, .64F}},
             {{.65F, 0}, {.65F, 1}}},
            {{{.15F, .03F}, {.12F, .34F}, {.32F, .5F}, {.62F, .47F}, {.8F, .34F}},
             {{.83F, 0}, {.8F, .5F}, {.74F, 1}}}};
}

Forms five() {
    const PenStroke bowl = {{.2F, .42F}, {.5F, .36F}, {.85F, .5F}, {.88F, .75F},
                            {.6F, .97F}, {.3F, .98F}, {.06F, .87F}};
    const PenStroke serpent = {{.88F, .05F}, {.5F, .01F}, {.24F, .1F}, {.22F, .35F}, {.5F, .45F},
                               {.82F, .6F},  {.8F, .86F}, {.48F, 1},   {.08F, .92F}};
    return {{{{.86F, .02F}, {.25F, .03F}}, {{.25F, .03F}, {.2F, .42F}}, bowl},
            {serpent},
            {{{.28F, .05F}, {.2F, .42F}}, bowl, {{.26F, .05F}, {.6F, .06F}, {.95F, 0}}}};
}

Forms six() {
    const PenStroke curl = {{.76F, .03F}, {.45F, .15F}, {.18F, .45F}, {.1F, .75F}, {.32F, .98F},
                            {.65F, .97F}, {.86F, .76F}, {.7F, .55F},  {.4F, .55F}, {.14F, .74F}};
    const PenStroke steep = {{.5F, 0},    {.28F, .3F}, {.12F, .66F}, {.2F, .92F}, {.5F, 1},
                             {.8F, .88F}, {.8F, .66F}, {.5F, .57F},  {.2F, .72F}};
    const PenStroke small = {{.62F, 0},    {.3F, .2F},   {.1F, .55F}, {.12F, .85F}, {.4F, 1},
                             {.62F, .86F}, {.52F, .66F}, {.24F, .7F}, {.13F, .86F}};
    return {{curl}, {steep}, {small}};
}

Forms seven() {
    const PenStroke bar = {{.05F, .06F}, {.45F, .05F}, {.9F, .03F}};
    const PenStroke stem = {{.9F, .03F}, {.66F, .4F}, {.48F, .7F}, {.4F, 1}};
    return {{bar, stem},
            {bar, stem, {{.32F, .53F}, {.82F, .48F}}},
            {{{.08F, .22F}, {.1F, .05F}},
             {{.1F, .05F}, {.5F, .08F}, {.9F, .02F}},
             {{.9F, .02F}, {.72F, .45F}, {.7F, 1}}}};
}

Forms eight() {
    const PenStroke figure = {{.8F, .16F},  {.5F, 0},     {.18F, .15F}, {.3F, .38F},
                              {.62F, .55F}, {.86F, .78F}, {.5F, 1},     {.14F, .8F},
                              {.38F, .55F}, {.7F, .38F},  {.8F, .16F}};
    const PenStroke upper = {{.5F, 0},     {.2F, .1F}, {.22F, .37F}, {.5F, .47F},
                             {.78F, .36F}, {.8F, .1F}, {.5F, 0}};
    const PenStroke lower = {{.5F, .47F},  {.15F, .6F}, {.14F, .88F}, {.5F, 1},
                             {.86F, .88F}, {.86F, .6F}, {.5F, .47F}};
    const PenStroke unfinished = {{.86F, .1F},  {.45F, .02F}, {.2F, .2F},   {.45F, .42F},
                                  {.76F, .62F}, {.7F, .92F},  {.35F, .98F}, {.2F, .75F},
                                  {.5F, .48F},  {.9F, .2F}};
    return {{figure}, {upper, lower}, {unfinished}};
}

Forms nine() {
    const PenStroke loop = {{.82F, .24F}, {.6F, .02F},  {.26F, .06F}, {.1F, .3F},
                            {.3F, .5F},   {.62F, .44F}, {.83F, .2F}};
    const PenStroke one = {{.8F, .1F},   {.5F, 0},     {.18F, .14F}, {.16F, .4F}, {.45F, .5F},
                           {.76F, .35F}, {.84F, .12F}, {.82F, .6F},  {.76F, 1}};
    return {{loop, {{.83F, .2F}, {.8F, .55F}, {.7F, 1}}},
            {loop, {{.83F, .2F}, {.84F, .55F}, {.65F, .9F}, {.28F, .97F}}},
            {one}};
}

}  // namespace

std::span<const DigitForm> digitForms(int digit) {
    static const std::array<Forms, 10> kForms = {zero(), one(), two(),   three(), four(),
                                                 five(), six(), seven(), eight(), nine()};
    return kForms[static_cast<std::size_t>(digit)];
}

}  // namespace lockstep::data
