# What the layer's and the authorizer's Makefile share: packages for Lambda's platform, and byte code.
# They set SITE (where packages go), RUNS_IN (where SITE is on Lambda) and UNUSED (what nothing imports), and make
# "sources" after "packages". ARTIFACTS_DIR comes from `sam build`.

PYTHON ?= python3.13
# Lambda's python3.13 runs on Amazon Linux 2023 (glibc 2.34); wheels may ask for that or less.
PLATFORMS = $(foreach tag,manylinux_2_34 manylinux_2_28 manylinux2014,--platform $(tag)_$(MACHINE))

# Byte code carries the interpreter's magic number: only 3.13 makes what the 3.13 runtime reads.
.PHONY: interpreter
interpreter:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' 2>/dev/null || \
	{ echo "The build needs Python 3.13 as '$(PYTHON)' on PATH (or PYTHON=/path/to/python3.13)." >&2; exit 1; }

.PHONY: packages
packages: interpreter
	$(PYTHON) -m pip install -qq --disable-pip-version-check --no-compile --require-hashes --only-binary=:all: \
	  --implementation cp --python-version 3.13 $(PLATFORMS) --target "$(SITE)" --requirement requirements.txt
	rm -rf "$(SITE)/bin" $(foreach name,$(UNUSED),"$(SITE)"/$(name))
	find "$(SITE)" -path '*.dist-info/*' \( -name RECORD -o -name INSTALLER -o -name REQUESTED -o -name WHEEL \) -delete
	find "$(SITE)" -name '*.pyi' -delete

# SAM's archives carry no file times, so byte code that is checked against them would never be used.
.PHONY: bytecode
bytecode: sources
	$(PYTHON) -m compileall -q --invalidation-mode unchecked-hash -s "$(SITE)" -p $(RUNS_IN) "$(SITE)"
