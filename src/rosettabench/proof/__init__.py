"""The evidence that contenders do equal work."""
