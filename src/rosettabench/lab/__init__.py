"""Workers started, turns given, resources sampled, results written."""
