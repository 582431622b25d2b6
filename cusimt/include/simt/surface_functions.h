// Loads and stores of surface objects. The place is checked by the runtime (runtime/surfaces.cpp); x counts bytes.
#pragma once
#include "simt/qualifiers.h"
#include "simt_api.h"

namespace simt {
template <class T>
SIMT_INLINE T surface_value(cudaSurfaceObject_t surface, const simt_surface_place& place) {
    T value;
    simt_surface_read(surface, &place, &value, sizeof value);
    return value;
}
}  // namespace simt

#define SIMT_SURFACE(PREFIX, POSITION, PLACE)                                                                                \
    template <class T>                                                                                                       \
    SIMT_INLINE T PREFIX##read(cudaSurfaceObject_t surface, POSITION, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        return simt::surface_value<T>(surface, {PLACE, mode});                                                               \
    }                                                                                                                        \
    template <class T>                                                                                                       \
    SIMT_INLINE void PREFIX##read(T* value, cudaSurfaceObject_t surface, POSITION,                                           \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
        *value = simt::surface_value<T>(surface, {PLACE, mode});                                                             \
    }                                                                                                                        \
    template <class T>                                                                                                       \
    SIMT_INLINE void PREFIX##write(T value, cudaSurfaceObject_t surface, POSITION,                                           \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                    \
        const simt_surface_place place = {PLACE, mode};                                                                      \
        simt_surface_write(surface, &place, &value, sizeof value);                                                           \
    }
#define SIMT_AND ,
SIMT_SURFACE(surf1D, int x, 1 SIMT_AND x SIMT_AND 0 SIMT_AND 0)
SIMT_SURFACE(surf2D, int x SIMT_AND int y, 2 SIMT_AND x SIMT_AND y SIMT_AND 0)
SIMT_SURFACE(surf3D, int x SIMT_AND int y SIMT_AND int z, 3 SIMT_AND x SIMT_AND y SIMT_AND z)
SIMT_SURFACE(surf1DLayered, int x SIMT_AND int layer, 1 | SIMT_LAYER SIMT_AND x SIMT_AND 0 SIMT_AND layer)
SIMT_SURFACE(surf2DLayered, int x SIMT_AND int y SIMT_AND int layer, 2 | SIMT_LAYER SIMT_AND x SIMT_AND y SIMT_AND layer)
#undef SIMT_AND
#undef SIMT_SURFACE
