# SPDX-License-Identifier: LGPL-3.0-or-later
#
# embed.cmake - turn files into a C source, so that the executable carries them as one text:
#
#     cmake "-DINPUT=FILE|FILE..." -DOUTPUT=FILE.c -DNAME=xro_something -P embed.cmake
#
# OUTPUT defines `const char NAME[]`: the bytes of the files, one behind the other, and a NUL. They are single characters,
# not a string literal, for which C guarantees 4095 bytes only; and '\xff' rather than 0xff, which would not fit a signed
# char. The bar, since a semicolon in a command line is taken apart before it gets here.
foreach(variable INPUT OUTPUT NAME)
    if(NOT DEFINED ${variable})
        message(FATAL_ERROR "embed.cmake: -D${variable}=... is missing")
    endif()
endforeach()

string(REPLACE "|" ";" files "${INPUT}")
set(bytes)
set(names)
foreach(file ${files})
    file(READ "${file}" some HEX)
    string(APPEND bytes "${some}")
    get_filename_component(file "${file}" NAME)
    string(APPEND names " ${file}")
endforeach()
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
set(byte "'\\\\x..',")
string(REPEAT "${byte}" 16 row)
string(REGEX REPLACE "(${row})" "\\1\n    " bytes "${bytes}")
file(WRITE "${OUTPUT}"
    "/* Made from${names} by embed.cmake: do not edit. */\n"
    "extern const char ${NAME}[];\n"
    "const char ${NAME}[] = {\n    ${bytes}'\\0'\n};\n")
