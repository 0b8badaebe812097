"""A GPT that decodes: the network with caches of keys and values, which prefill and decoding share; one file each."""
