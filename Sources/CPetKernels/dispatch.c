#include "pet_kernels.h"
