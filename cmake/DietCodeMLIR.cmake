# Finds LLVM and MLIR 22.1 and defines DietCode::SharedMLIR: their shared
# libraries, headers and definitions. The build and the installed package both read
# this file. Where there is no suitable MLIR, DietCode_MLIR_PROBLEM says why.
#
# Set MLIR_DIR to choose an MLIR; otherwise CMAKE_PREFIX_PATH is searched, and
# llvm-config-22 (or llvm-config) is asked.

unset(DietCode_MLIR_PROBLEM)
if(NOT MLIR_DIR)
  find_program(DIETCODE_LLVM_CONFIG NAMES llvm-config-22 llvm-config)
  mark_as_advanced(DIETCODE_LLVM_CONFIG)
  if(DIETCODE_LLVM_CONFIG)
    execute_process(COMMAND ${DIETCODE_LLVM_CONFIG} --prefix
      OUTPUT_VARIABLE dietcode_llvm_prefix OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
# The version file of MLIR wants major and minor to be equal: 22 does not do.
find_package(MLIR 22.1 QUIET CONFIG HINTS ${dietcode_llvm_prefix})

if(NOT MLIR_FOUND)
  if(MLIR_CONSIDERED_VERSIONS)
    list(JOIN MLIR_CONSIDERED_VERSIONS ", " dietcode_versions)
    string(PREPEND dietcode_versions ", and only found ")
  endif()
  set(DietCode_MLIR_PROBLEM
    "DietCode needs MLIR 22.1${dietcode_versions}; install libmlir-22-dev, or set MLIR_DIR to the folder of MLIRConfig.cmake")
elseif(NOT TARGET MLIR)
  string(CONCAT DietCode_MLIR_PROBLEM
    "DietCode links the shared libMLIR, which the MLIR in ${MLIR_DIR} lacks; "
    "configure LLVM with -DLLVM_BUILD_LLVM_DYLIB=ON -DLLVM_LINK_LLVM_DYLIB=ON "
    "-DMLIR_BUILD_MLIR_DYLIB=ON, or set MLIR_DIR to another build")
elseif(NOT TARGET DietCode::SharedMLIR)
  separate_arguments(dietcode_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  add_library(DietCode::SharedMLIR INTERFACE IMPORTED)
  target_link_libraries(DietCode::SharedMLIR INTERFACE MLIR LLVM)
  target_include_directories(DietCode::SharedMLIR INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(DietCode::SharedMLIR INTERFACE ${dietcode_llvm_definitions})
endif()
unset(dietcode_llvm_prefix)
unset(dietcode_versions)
