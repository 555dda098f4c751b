"""What the Makefile's targets call: environments, the local cloud, builds, deployments, tokens."""
