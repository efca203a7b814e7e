# Steps of the tests of the CMake package, each a ctest:
#
#   cmake -D step=install -D build=... -D source=... -D work=... -P TestPackage.cmake
#   cmake -D step=consumer -D consumer=... [-D target=...] ... -P TestPackage.cmake
#
# "install" installs the build, checks that nothing of it refers to the build or the
# sources, and moves it elsewhere. "consumer" builds a project with what was moved.
# "components" asks a package without MLIR for components that it lacks.

cmake_minimum_required(VERSION 3.22)
set(moved ${work}/moved)

# Runs a command, and stops with what it printed if it fails.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message("${output}")
    message(FATAL_ERROR "failed: ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# In text files alone: programs with debug information name their sources.
function(check_relocatable prefix)
  file(GLOB_RECURSE files ${prefix}/include/* ${prefix}/lib/cmake/* ${prefix}/share/*)
  if(NOT files)
    message(FATAL_ERROR "nothing is installed in ${prefix}")
  endif()
  foreach(file IN LISTS files)
    file(STRINGS ${file} lines REGEX "^.*(${build}|${source}|${prefix}).*$")
    if(lines)
      message(FATAL_ERROR "${file} names a path of the build:\n${lines}")
    endif()
  endforeach()
endfunction()

# Configuring `project` must end in an error that says `message`.
function(expect_error message project)
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${generator} -S ${project} ${ARGN}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
  string(REGEX REPLACE "[ \n]+" " " error "${error}")
  string(FIND "${error}" "${message}" position)
  if(result EQUAL 0 OR position EQUAL -1)
    message("${error}")
    message(FATAL_ERROR "no error that says: ${message}")
  endif()
endfunction()

if(step STREQUAL "install")
  file(REMOVE_RECURSE ${work}/installed ${moved})
  run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/installed)
  check_relocatable(${work}/installed)
  file(RENAME ${work}/installed ${moved})
elseif(step STREQUAL "consumer")
  cmake_path(GET consumer FILENAME name)
  file(REMOVE_RECURSE ${work}/${name})
  run(${CMAKE_COMMAND} -G ${generator} -S ${consumer} -B ${work}/${name}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${moved} ${options})
  run(${CMAKE_COMMAND} --build ${work}/${name} --target ${target})
  message("${output}")
elseif(step STREQUAL "components")
  # What is not built is found all the same in a build tree.
  set(core ${work}/components/build)
  file(REMOVE_RECURSE ${work}/components)
  run(${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${core} -DDIETCODE_ENABLE_MLIR=OFF
    -DDIETCODE_ENABLE_TESTS=OFF -DDIETCODE_ENABLE_BENCHMARKS=OFF ${options})
  set(ask ${CMAKE_CURRENT_LIST_DIR}/Components -B ${work}/components/ask
    -DCMAKE_PREFIX_PATH=${core} ${options})
  run(${CMAKE_COMMAND} -G ${generator} -S ${ask} -Dcomponents=Core)
  expect_error("was built without MLIR, so it has no dialect and no passes; build DietCode with -DDIETCODE_ENABLE_MLIR=ON"
    ${ask} -Dcomponents=MLIR)
  expect_error("DietCode has no component Python; it has Core" ${ask} -Dcomponents=Python)
else()
  message(FATAL_ERROR "unknown step '${step}'")
endif()
