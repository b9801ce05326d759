# SPDX-License-Identifier: Apache-2.0
# What a wheel holds beside the Python files: the extension and the compiler that it loads (pyproject.toml).
if(TARGET skald_python)
  install(TARGETS skald_python LIBRARY DESTINATION skald COMPONENT python EXCLUDE_FROM_ALL)
endif()
if(TARGET skald_engine)
  install(TARGETS skald_engine LIBRARY DESTINATION skald COMPONENT python EXCLUDE_FROM_ALL)
endif()
