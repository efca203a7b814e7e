# The CMake package `find_package(DietCode)` reads, in the build tree and installed:
# the targets that the functions below declare, headers, and documentation.
#
# What needs no LLVM is one set of targets, the rest another, so that a user of
# the former needs no LLVM either.

include(CMakePackageConfigHelpers)
set(DIETCODE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/DietCode)

# Installed programs find the project's own library next to them, and LLVM and
# XGBoost where they were linked from.
set(CMAKE_INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# dietcode_install_target(target export_name [MLIR])
# Installs a library or program, which users of the package then know as
# DietCode::export_name.
function(dietcode_install_target target export_name)
  set(half Core)
  if("MLIR" IN_LIST ARGN)
    set(half MLIR)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${export_name})
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "EXECUTABLE")
    add_library(DietCode::${export_name} ALIAS ${target})
  endif()
  install(TARGETS ${target} EXPORT DietCode${half}Targets)
endfunction()

# Called once all targets are declared.
function(dietcode_install_package)
  set(halves Core)
  set(headers_of_mlir)
  if(DIETCODE_ENABLE_MLIR)
    list(APPEND halves MLIR)
  else()
    # Headers that include MLIR's are of no use to the lower half.
    set(headers_of_mlir
      REGEX "/(Conversion|Dialect|Run|InitAllDietCode\\.h)$" EXCLUDE
      REGEX "/Tune/(Candidate.*|Explanation|KernelLaunch|MissedShapes|Tune|TuningTask|Verification)\\.h$" EXCLUDE)
  endif()
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" ${headers_of_mlir})

  if(DIETCODE_ENABLE_MLIR)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
      FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/reference)
    install(FILES cmake/DietCodeMLIR.cmake DESTINATION ${DIETCODE_PACKAGE_DIR})
    configure_file(cmake/DietCodeMLIR.cmake ${PROJECT_BINARY_DIR}/${DIETCODE_PACKAGE_DIR}/DietCodeMLIR.cmake COPYONLY)
  endif()
  install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

  # What users set up with: the targets of each half, the configuration and its
  # version, and how to find what the targets need.
  foreach(half IN LISTS halves)
    install(EXPORT DietCode${half}Targets NAMESPACE DietCode:: DESTINATION ${DIETCODE_PACKAGE_DIR})
    export(EXPORT DietCode${half}Targets NAMESPACE DietCode::
      FILE ${PROJECT_BINARY_DIR}/${DIETCODE_PACKAGE_DIR}/DietCode${half}Targets.cmake)
  endforeach()
  set(config ${PROJECT_BINARY_DIR}/${DIETCODE_PACKAGE_DIR}/DietCodeConfig.cmake)
  configure_package_config_file(cmake/DietCodeConfig.cmake.in ${config}
    INSTALL_DESTINATION ${DIETCODE_PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_BINDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/${DIETCODE_PACKAGE_DIR}/DietCodeConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  configure_file(cmake/FindXGBoost.cmake ${PROJECT_BINARY_DIR}/${DIETCODE_PACKAGE_DIR}/FindXGBoost.cmake COPYONLY)
  install(FILES ${config} ${PROJECT_BINARY_DIR}/${DIETCODE_PACKAGE_DIR}/DietCodeConfigVersion.cmake
    cmake/FindXGBoost.cmake DESTINATION ${DIETCODE_PACKAGE_DIR})
endfunction()
