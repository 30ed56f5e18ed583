"""The socket of the container runtime where NRI plugins register, such as plugins of DRA drivers."""
