# The program, the headers and a package `weft` with one target for plug-ins, weft::plugin. There are no libraries to
# install: a plug-in takes everything from the program that loads it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
if(WEFT_CLI)
  install(TARGETS weft RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET weft_mpi)
    # Where the program looks for it (platform/parallel/launched.cpp).
    install(TARGETS weft_mpi LIBRARY DESTINATION lib/weft)
  endif()
endif()
install(DIRECTORY include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
foreach(header ${weft_plugin_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft/internal/${folder})
endforeach()

install(DIRECTORY rtl DESTINATION ${CMAKE_INSTALL_DATADIR}/weft FILES_MATCHING PATTERN "*.sv")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/weftConfig.cmake.in ${PROJECT_BINARY_DIR}/weftConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weftConfigVersion.cmake COMPATIBILITY ExactVersion)
install(FILES ${PROJECT_BINARY_DIR}/weftConfig.cmake ${PROJECT_BINARY_DIR}/weftConfigVersion.cmake
  DESTINATION ${package_dir})

# What a user reads, and pages that the program writes of itself when it is installed.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/weft)
if(WEFT_CLI)
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" -D \"PROGRAM=$<TARGET_FILE:weft>\" -D \"OUTPUT=${PROJECT_BINARY_DIR}/manual\"
    -D VERSION=${PROJECT_VERSION} -P \"${CMAKE_CURRENT_LIST_DIR}/manual.cmake\" COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/ DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# cpack -G DEB and cpack -G TGZ in the build folder.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_CONTACT "The Weft developers <weft@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "SystemC/TLM-2.0 co-simulation of multi-GPU systems")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # plug-ins take symbols of the program
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "verilator, libsystemc-dev, g++, cmake")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
