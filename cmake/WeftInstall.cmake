# The program, the headers and a package `weft` with one target for plug-ins, weft::plugin. There are no libraries to
# install: a plug-in takes everything from the program that loads it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
if(WEFT_CLI)
  install(TARGETS weft RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(floor base infragraph tlm_interconnect sc_models gpu collectives rtl platform)
  install(DIRECTORY ${floor} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft
    FILES_MATCHING PATTERN "*.h")
endforeach()

install(DIRECTORY rtl DESTINATION ${CMAKE_INSTALL_DATADIR}/weft FILES_MATCHING PATTERN "*.sv")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/weftConfig.cmake.in ${CMAKE_BINARY_DIR}/weftConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weftConfigVersion.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/weftConfig.cmake ${CMAKE_BINARY_DIR}/weftConfigVersion.cmake
  DESTINATION ${package_dir})
