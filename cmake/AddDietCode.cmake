# The functions with which the project declares its libraries, tools and tests.

# The name of a library in the CMake package: DietCodeSearch is DietCode::Search.
function(dietcode_install_library target)
  # With the rest in a group: the anchor would match again after a replacement.
  string(REGEX REPLACE "^DietCode(.*)" "\\1" export_name ${target})
  dietcode_install_target(${target} ${export_name} ${ARGN})
endfunction()

function(dietcode_target_options target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(DIETCODE_ENABLE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# add_dietcode_core_library(name sources... [LINK libs...])
# A library of the lower half: it links neither MLIR nor LLVM.
function(add_dietcode_core_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  dietcode_target_options(${name})
  dietcode_install_library(${name})
endfunction()

# add_dietcode_mlir_library(name sources... [LINK libs...] [DEPENDS targets...])
# A library of the upper half, linked to the shared libMLIR. DEPENDS names the
# TableGen targets whose headers it includes.
function(add_dietcode_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  dietcode_target_options(${name})
  dietcode_mlir_target_options(${name})
  dietcode_install_library(${name} MLIR)
endfunction()

# add_dietcode_tool(name sources... [LINK libs...])
function(add_dietcode_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  dietcode_target_options(${name})
  dietcode_mlir_target_options(${name})
  dietcode_install_target(${name} ${name} MLIR)
endfunction()

# add_dietcode_core_tool(name sources... [LINK libs...])
# A tool of the lower half: it needs no LLVM, whatever else is built.
function(add_dietcode_core_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  find_package(CLI11 REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS} ${DIETCODE_SANITIZER_DEFAULTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} CLI11::CLI11)
  dietcode_target_options(${name})
  dietcode_install_target(${name} ${name})
endfunction()

# All programs of C++ tests, and what they run or load.
add_custom_target(unit-tests)

# add_dietcode_unittest(name sources... [LINK libs...])
# A GoogleTest program, registered with ctest.
function(add_dietcode_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS} ${DIETCODE_SANITIZER_DEFAULTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  dietcode_target_options(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/Unit)
  add_dependencies(unit-tests ${name})
  # The device that tests run on does not depend on the machine.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${DIETCODE_TEST_PREFIX}"
    PROPERTIES ENVIRONMENT DIETCODE_DEVICE=virtual:t4)
endfunction()
