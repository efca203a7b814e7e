# Finds LLVM and MLIR 22.1, installed from packages or built from source. Set
# MLIR_DIR to choose one; otherwise llvm-config-22 (or llvm-config) is asked.

if(NOT MLIR_DIR)
  find_program(DIETCODE_LLVM_CONFIG NAMES llvm-config-22 llvm-config)
  if(DIETCODE_LLVM_CONFIG)
    execute_process(COMMAND ${DIETCODE_LLVM_CONFIG} --prefix
      OUTPUT_VARIABLE llvm_prefix OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(PREPEND CMAKE_PREFIX_PATH ${llvm_prefix})
  endif()
endif()
# The version file of MLIR wants major and minor to be equal: 22 does not do.
find_package(MLIR 22.1 REQUIRED CONFIG)
if(NOT TARGET MLIR)
  message(FATAL_ERROR
    "DietCode links the shared libMLIR, which the MLIR in ${MLIR_DIR} lacks; "
    "configure LLVM with -DLLVM_BUILD_LLVM_DYLIB=ON -DLLVM_LINK_LLVM_DYLIB=ON "
    "-DMLIR_BUILD_MLIR_DYLIB=ON, or set MLIR_DIR to another build")
endif()
message(STATUS "Using MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(MLIR_BINARY_DIR ${PROJECT_BINARY_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")

function(dietcode_mlir_target_options target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${target} PUBLIC ${llvm_definitions})
  # The code that TableGen generates leaves many parameters unused.
  target_compile_options(${target} PRIVATE -Wno-unused-parameter)
endfunction()

# TableGen reads these include directories of the directory it is called in.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
