# Finds XGBoost's C API and defines XGBoost::XGBoost. The config package that
# XGBoost installs is no help: Debian's libxgboost-dev refers to a command that is
# in no package, and stops CMake.

find_path(XGBoost_INCLUDE_DIR xgboost/c_api.h)
find_library(XGBoost_LIBRARY xgboost)
mark_as_advanced(XGBoost_INCLUDE_DIR XGBoost_LIBRARY)

if(XGBoost_INCLUDE_DIR)
  file(STRINGS ${XGBoost_INCLUDE_DIR}/xgboost/version_config.h version_lines
    REGEX "^#define XGBOOST_VER_(MAJOR|MINOR|PATCH) [0-9]+")
  string(REGEX MATCHALL "[0-9]+" version_numbers "${version_lines}")
  string(JOIN "." XGBoost_VERSION ${version_numbers})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XGBoost
  REQUIRED_VARS XGBoost_LIBRARY XGBoost_INCLUDE_DIR
  VERSION_VAR XGBoost_VERSION
  REASON_FAILURE_MESSAGE "The cost model needs it: install libxgboost-dev, or set XGBoost_ROOT to where XGBoost is installed.")

if(XGBoost_FOUND AND NOT TARGET XGBoost::XGBoost)
  add_library(XGBoost::XGBoost UNKNOWN IMPORTED)
  set_target_properties(XGBoost::XGBoost PROPERTIES
    IMPORTED_LOCATION ${XGBoost_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${XGBoost_INCLUDE_DIR})
endif()
