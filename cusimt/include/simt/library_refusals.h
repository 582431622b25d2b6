// Functions of a library that are not simulated: the compiler refuses a call of one by its name and with this sentence; without
// a declaration it would only say that it does not know the name. STATUS is what the function returns: a program that checks
// it is to be refused by this sentence, not by a conversion.
#pragma once

#if defined(__has_attribute)
#if __has_attribute(error)
#define SIMT_REFUSES(MESSAGE) __attribute__((error(MESSAGE)))
#endif
#endif
#ifndef SIMT_REFUSES
#define SIMT_REFUSES(MESSAGE) __attribute__((unavailable(MESSAGE)))
#endif
#define SIMT_MISSING(LIBRARY, STATUS, NAME) \
    STATUS NAME(...) SIMT_REFUSES(#NAME " is not simulated: docs/reference/simt.md lists what the simulated " LIBRARY " has");
