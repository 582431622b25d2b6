files = torch
files.os
