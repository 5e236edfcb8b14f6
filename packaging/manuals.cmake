# SPDX-License-Identifier: Apache-2.0
# Man pages and bash's completion, made from what the programs say of themselves.
include(GNUInstallDirs)
if(LOCKSTEP_SANITIZE OR CMAKE_CROSSCOMPILING)
    return() # the programs are run for it
endif()

set(manuals ${CMAKE_BINARY_DIR}/manuals)
set(programs lockstepctl lockstep-worker)
if(LOCKSTEP_UI)
    list(APPEND programs lockstep)
endif()
set(scripts ${CMAKE_CURRENT_LIST_DIR}/help_text.py ${CMAKE_CURRENT_LIST_DIR}/man_pages.py
    ${CMAKE_CURRENT_LIST_DIR}/bash_completion.py)
add_custom_command(
    OUTPUT ${manuals}/done
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${manuals}
    COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/man_pages.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
        ${manuals}/man ${PROJECT_VERSION}
    COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/bash_completion.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
        ${manuals}/completions/lockstepctl
    COMMAND ${CMAKE_COMMAND} -E touch ${manuals}/done
    DEPENDS ${programs} ${scripts} COMMENT "Writing the man pages" VERBATIM)
add_custom_target(lockstep_manuals ALL DEPENDS ${manuals}/done)
install(FILES ${manuals}/man/man1/lockstepctl.1.gz ${manuals}/man/man1/lockstep-worker.1.gz
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${manuals}/man/man5/lockstep-job.5.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
if(LOCKSTEP_UI)
    install(FILES ${manuals}/man/man1/lockstep.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT desktop)
endif()
install(DIRECTORY ${manuals}/completions DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion)
