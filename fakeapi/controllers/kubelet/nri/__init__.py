"""The socket of the container runtime where NRI plugins register, such as those of DRA drivers."""
