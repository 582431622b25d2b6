// Included by the translator in front of a file whose inline PTX it turned into C++.
#pragma once
#include "cuda_runtime.h"
#include "simt/ptx/asynchronous.h"
#include "simt/ptx/conversions.h"
#include "simt/ptx/matrices.h"
#include "simt/ptx/quantised.h"
