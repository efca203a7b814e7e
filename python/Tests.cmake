# The tests of the package, against the wheel that pip builds: it is made with this
# build, as `pip install ./python` makes it, and installed in the virtual environment
# that build_tools/setup.sh has made.
if(NOT TARGET dietcode)
  return()
endif()
set(DIETCODE_VENV ${PROJECT_BINARY_DIR}/venv CACHE PATH "Where the Python package is tested")
set(python ${DIETCODE_VENV}/bin/python)
if(NOT EXISTS ${python})
  message(STATUS "Not testing the Python package: there is no ${DIETCODE_VENV}; build_tools/setup.sh makes it")
  return()
endif()

add_test(NAME python:install COMMAND ${python} -m pip install --quiet --no-index --no-deps
  --no-build-isolation --force-reinstall ${CMAKE_CURRENT_SOURCE_DIR}
  --config-settings=build-dir=${CMAKE_CURRENT_BINARY_DIR}/wheel
  --config-settings=cmake.define.DietCode_DIR=${PROJECT_BINARY_DIR}/${DIETCODE_PACKAGE_DIR}
  --config-settings=cmake.define.CMAKE_C_COMPILER=${CMAKE_C_COMPILER}
  --config-settings=cmake.define.CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
set_tests_properties(python:install PROPERTIES FIXTURES_SETUP python)

file(GLOB files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/tests CONFIGURE_DEPENDS tests/test_*.py)
foreach(file IN LISTS files)
  string(REGEX REPLACE "^test_(.*)\\.py$" "python:\\1" name ${file})
  # Not in the source folder, where Python would find the package without its extension.
  add_test(NAME ${name} COMMAND ${python} -m pytest -q -rs -p no:cacheprovider
    ${CMAKE_CURRENT_SOURCE_DIR}/tests/${file} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  # pytest returns 5 if there is nothing to run, as without PyTorch.
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED python SKIP_RETURN_CODE 5
    ENVIRONMENT "DIETCODE_VERSION=${PROJECT_VERSION};DIETCODE_BIN=${PROJECT_BINARY_DIR}/bin;PYTHONDONTWRITEBYTECODE=1")
endforeach()
