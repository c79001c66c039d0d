# SPDX-License-Identifier: LGPL-3.0-or-later
#
# embed.cmake - turn any file into a C source, so that the executable carries it:
#
#     cmake -DINPUT=FILE -DOUTPUT=FILE.c -DNAME=xro_something -P embed.cmake
#
# OUTPUT defines `const char NAME[]`: the bytes of INPUT and a NUL. They are single characters, not a string literal,
# for which C guarantees 4095 bytes only; and '\xff' rather than 0xff, which would not fit a signed char.
foreach(variable INPUT OUTPUT NAME)
    if(NOT DEFINED ${variable})
        message(FATAL_ERROR "embed.cmake: -D${variable}=... is missing")
    endif()
endforeach()

file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
set(byte "'\\\\x..',")
string(REPEAT "${byte}" 16 row)
string(REGEX REPLACE "(${row})" "\\1\n    " bytes "${bytes}")
get_filename_component(file "${INPUT}" NAME)
file(WRITE "${OUTPUT}"
    "/* Made from ${file} by embed.cmake: do not edit. */\n"
    "extern const char ${NAME}[];\n"
    "const char ${NAME}[] = {\n    ${bytes}'\\0'\n};\n")
