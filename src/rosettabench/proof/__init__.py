"""The proof that contenders do equal work."""
