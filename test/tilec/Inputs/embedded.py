"""Loads a program into an emulated world of one: embedded.py <libtilec_runtime.so> <folder/program>."""
import ctypes
import sys

api = ctypes.CDLL(sys.argv[1])  # RTLD_LOCAL
api.tilec_last_error.restype = ctypes.c_char_p
world, program = ctypes.c_void_p(), ctypes.c_void_p()
print("tilec_emulated_worlds:", api.tilec_emulated_worlds(1, ctypes.c_size_t(1 << 20), ctypes.c_size_t(1 << 20), ctypes.byref(world)))
most = (ctypes.c_int64 * 1)(100)
path = sys.argv[2].encode()
print("tilec_program_load:", api.tilec_program_load(world, path + b".json", path + b".so", most, 1, ctypes.byref(program)))
print(api.tilec_last_error().decode())
