# SPDX-License-Identifier: GPL-3.0-or-later
# resources/phrases as resources of the program: core's sentences in the languages that the window speaks.
file(GLOB phrases CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/resources/phrases/*.txt)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/phrases)
set(listed "")
foreach(source IN LISTS phrases)
    cmake_path(GET source FILENAME name)
    string(APPEND listed "<file alias=\"${name}\">${source}</file>")
endforeach()
file(CONFIGURE OUTPUT ${folder}/phrases.qrc
    CONTENT "<RCC><qresource prefix=\"/lockstep/phrases\">@listed@</qresource></RCC>\n" @ONLY)
add_custom_command(OUTPUT ${folder}/phrases.cpp DEPENDS ${phrases} ${folder}/phrases.qrc
    COMMAND Qt6::rcc --name phrases ${folder}/phrases.qrc --output ${folder}/phrases.cpp VERBATIM)
set_source_files_properties(${folder}/phrases.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_AUTOGEN ON)
target_sources(lockstep_ui_style PRIVATE ${folder}/phrases.cpp)
