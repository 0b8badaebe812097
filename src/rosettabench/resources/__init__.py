"""The resources that a worker uses: processor, memory, faults, storage, GPU, energy; read from outside."""
