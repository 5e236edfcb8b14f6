# SPDX-License-Identifier: Apache-2.0
# Three quarters of a compilation used to be the parsing of the same headers. They are compiled once
# for each of these targets, and reused by whoever has the same options.
option(LOCKSTEP_PRECOMPILE "Compile the heavy headers once" ON)

set(LOCKSTEP_STANDARD_HEADERS <algorithm> <array> <atomic> <chrono> <condition_variable> <filesystem>
    <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <tuple>
    <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)

# lockstep_precompiled(name TYPE LINKS ... HEADERS ... OPTIONS ...): a target that compiles HEADERS for others.
# TYPE is that of its users: code of a program has other options than code of a library.
function(lockstep_precompiled name type)
    if(NOT LOCKSTEP_PRECOMPILE)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LINKS;HEADERS;OPTIONS")
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp.new "int main() {}\n")
    file(COPY_FILE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp.new ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp ONLY_IF_DIFFERENT)
    if(type STREQUAL "PROGRAM")
        add_executable(${name} ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    else()
        add_library(${name} STATIC ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    endif()
    target_link_libraries(${name} PRIVATE lockstep_options fmt::fmt tl::expected ${arg_LINKS})
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# lockstep_reuse(target FROM): with the headers that FROM has compiled.
function(lockstep_reuse target from)
    if(LOCKSTEP_PRECOMPILE)
        target_link_libraries(${target} PRIVATE fmt::fmt)
        target_precompile_headers(${target} REUSE_FROM ${from})
    endif()
endfunction()
