# Speeds up the build with ccache and lld when they are there; neither is
# needed.

find_program(DIETCODE_CCACHE ccache)
if(DIETCODE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Another checkout of the same sources shares the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${DIETCODE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

include(CheckLinkerFlag)
foreach(linker lld lld-22)
  check_linker_flag(CXX -fuse-ld=${linker} DIETCODE_HAS_${linker})
  if(DIETCODE_HAS_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()
