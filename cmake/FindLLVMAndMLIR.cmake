# LLVM and MLIR for the build: the libraries, TableGen, and what it reads.

include(DietCodeMLIR)
if(DietCode_MLIR_PROBLEM)
  message(FATAL_ERROR "${DietCode_MLIR_PROBLEM}")
endif()
message(STATUS "Using MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(MLIR_BINARY_DIR ${PROJECT_BINARY_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

function(dietcode_mlir_target_options target)
  target_link_libraries(${target} PUBLIC DietCode::SharedMLIR)
  # The code that TableGen generates leaves many parameters unused.
  target_compile_options(${target} PRIVATE -Wno-unused-parameter)
endfunction()

# TableGen reads these include directories of the directory it is called in.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
