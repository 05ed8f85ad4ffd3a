# `tilec run` and the Python package of an installed tree, with no source tree to help it: the compiler of the text is a script that refuses to
# look anywhere below the sources. Run as a script by ctest.
#   cmake -DPREFIX=install -DSOURCE=root -DWORK=folder -DCXX=clang++ -P Run.cmake
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/clang.sh "#!/bin/sh\nfor word; do case \"$word\" in
  *${SOURCE}/runtime*) echo \"looks into the sources: $word\" >&2; exit 1;; esac; done\nexec ${CXX} \"$@\"\n")
file(CHMOD ${WORK}/clang.sh PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
file(COPY ${SOURCE}/examples/01_put_get/put_get.mlir DESTINATION ${WORK})
set(ENV{TILEC_CACHE} ${WORK}/cache)
set(ENV{TILEC_CXX} ${WORK}/clang.sh)
execute_process(COMMAND ${PREFIX}/bin/tilec run put_get.mlir --world 3 -o ${WORK}/out WORKING_DIRECTORY ${WORK}
                OUTPUT_VARIABLE said ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT said MATCHES "rank 2: largest error 0" OR NOT EXISTS ${WORK}/out/put_get.hip)
  message(FATAL_ERROR "exit code ${status}\n${said}${errors}")
endif()
# And so does the Python package, with a program that the installed command has packaged.
file(COPY ${SOURCE}/examples/00_copy/copy.mlir DESTINATION ${WORK})
execute_process(COMMAND ${PREFIX}/bin/tilec copy.mlir --world 1 --package kernels --emulated WORKING_DIRECTORY ${WORK}
                OUTPUT_VARIABLE said ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT said MATCHES "package: kernels/kernels-")
  message(FATAL_ERROR "exit code ${status}\n${said}${errors}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PREFIX}/lib/python PYTHONDONTWRITEBYTECODE=1
                        python3 -c "import tilec; print(tilec.load('kernels/copy.json', extents={'M': 4}).greatest, tilec.library.api()._name)"
                WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE said ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT said MATCHES "^\\(4,\\) ${PREFIX}/")
  message(FATAL_ERROR "exit code ${status}\n${said}${errors}")
endif()
# What is installed must not know where it was built.
file(STRINGS ${PREFIX}/bin/tilec found REGEX "${SOURCE}/runtime(/emulator)?/include")
if(found)
  message(FATAL_ERROR "the program holds a path of the sources: ${found}")
endif()
