"""The programs behind the Makefile's targets: environments, the local cloud, builds, deployments, tokens."""
