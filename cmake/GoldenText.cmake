# The HIP text of an example beside its program: written by the target `update-golden`, compared by the ctest tests
# golden-<example>, reviewed as text.
#   cmake -DTILEC=build/bin/tilec -DPROGRAM=examples/x/x.mlir -DSOURCE=root [-DCHECK=folder] -P GoldenText.cmake
get_filename_component(folder ${PROGRAM} DIRECTORY)
get_filename_component(name ${PROGRAM} NAME_WE)
set(golden ${SOURCE}/${folder}/${name}.hip)
# The path of the program is part of the text, so that it must be the one that every clone has.
execute_process(COMMAND ${TILEC} ${PROGRAM} --target gfx942 --world 4 --emit=hip WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE text RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "tilec failed on ${PROGRAM}")
endif()
if(NOT CHECK)
  file(WRITE ${golden} "${text}")
  return()
endif()
file(WRITE ${CHECK}/${name}.hip "${text}")
execute_process(COMMAND diff -u ${golden} ${CHECK}/${name}.hip RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${golden} is not what tilec prints: look at the difference, then ninja update-golden")
endif()
