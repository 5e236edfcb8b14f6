# SPDX-License-Identifier: GPL-3.0-or-later
# resources/translations/CODE.ts as resources of the program; ./dev translations brings them up to date with the sources.
find_program(LOCKSTEP_LRELEASE lrelease HINTS ${QT6_INSTALL_PREFIX}/${QT6_INSTALL_BINS} NO_DEFAULT_PATH)
if(NOT LOCKSTEP_LRELEASE)
    message(STATUS "Qt's lrelease is missing (Debian: qt6-l10n-tools): the window speaks English only")
    return()
endif()

file(GLOB translations CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/resources/translations/*.ts)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/translations)
file(MAKE_DIRECTORY ${folder})
set(listed "")
set(compiled "")
foreach(source IN LISTS translations)
    cmake_path(GET source STEM code)
    add_custom_command(OUTPUT ${folder}/${code}.qm DEPENDS ${source}
        COMMAND ${LOCKSTEP_LRELEASE} -silent ${source} -qm ${folder}/${code}.qm VERBATIM)
    list(APPEND compiled ${folder}/${code}.qm)
    string(APPEND listed "<file>${code}.qm</file>")
endforeach()
file(CONFIGURE OUTPUT ${folder}/translations.qrc
    CONTENT "<RCC><qresource prefix=\"/lockstep/translations\">@listed@</qresource></RCC>\n" @ONLY)
add_custom_command(OUTPUT ${folder}/translations.cpp DEPENDS ${compiled} ${folder}/translations.qrc
    COMMAND Qt6::rcc --name translations ${folder}/translations.qrc --output ${folder}/translations.cpp VERBATIM)
set_source_files_properties(${folder}/translations.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_AUTOGEN ON)
target_sources(lockstep_ui_style PRIVATE ${folder}/translations.cpp)
set_source_files_properties(language.cpp PROPERTIES COMPILE_DEFINITIONS LOCKSTEP_TRANSLATIONS)
