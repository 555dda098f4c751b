# `make` or `make help` lists the targets. What they do lies in tools/.

PYTHON := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help run stop clean token invoke markers test coverage soak bench lint format build openapi \
	architecture rules reference lock

help:  ## Show this list
	@echo "usage: make TARGET [NAME=value]"; echo
	@sed -nE 's/^([a-z]+):.*## (.*)$$/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 15

run:  ## Start the service on a local cloud and print how to call it (PORT=4566, AUTH=true to enforce IAM)
	@tools/bootstrap dev sam ministack
	@$(PYTHON) -m tools.run up

stop:  ## Stop the local cloud; what was stored is there again after the next `make run`
	@tools/bootstrap dev
	@$(PYTHON) -m tools.run down

clean:  ## Stop the local cloud and wipe what it stored, the build and the development key
	@tools/bootstrap dev
	@$(PYTHON) -m tools.run clean

token:  ## Print a development token: make token SUB=alice
	@tools/bootstrap dev
	@$(PYTHON) -m tools.tokens "$$SUB"

invoke:  ## Run one event in SAM's container on the running local cloud: make invoke EVENT=events/signup-201-created.json
	@tools/bootstrap dev sam ministack
	@$(PYTHON) -m tools.invoke "$$EVENT"

markers:  ## Audit or mend uniqueness markers: make markers ARGS="audit" (or repair, backfill, show VALUE; --help)
	@tools/bootstrap dev
	@$(PYTHON) -m tools.markers $(ARGS)

test:  ## Run all test rings, one (RING=unit|integration|template|sam|deployed) or single tests (ARGS=tests/unit/…::test_x)
	@tools/bootstrap dev
	@$(PYTHON) -m tools.rings "$$RING" -- $(ARGS)

coverage:  ## Run the unit and integration rings, or RING= alone, and show which lines and branches they leave out
	@tools/bootstrap dev
	@$(PYTHON) -m tools.rings --coverage "$$RING" -- $(ARGS)

soak:  ## Many clients, faults on the way to DynamoDB, and a verdict: make soak SECONDS=60 CLIENTS=16
	@tools/bootstrap dev sam ministack microburst
	@PYTHONPATH=layers/accounts $(PYTHON) -m tests.soak

bench:  ## Measure against rivals, a few minutes; all, or a part (PART=build|import|handler|service|typed|markers)
	@tools/bootstrap dev sam ministack bench
	@$(PYTHON) -m bench "$$PART"

lint:  ## Check style, types and the template
	@tools/bootstrap dev sam
	@tools/lint

format:  ## Put the code into the house's format, mending what can be mended
	@tools/bootstrap dev
	$(PYTHON) -m ruff check --fix --quiet .
	$(PYTHON) -m ruff format .

build:  ## Build functions and layer for this machine's processor, or ARCH=arm64|x86_64
	@tools/bootstrap dev sam
	@$(PYTHON) -m tools.stack "$$ARCH"

openapi:  ## Write openapi.json from the models and the template's routes
	@tools/bootstrap dev
	@PYTHONPATH=layers/accounts $(PYTHON) -m tools.openapi

architecture:  ## Write docs/architecture.md, the rooms of the library and what may import what, from the code
	@tools/bootstrap dev
	@$(PYTHON) -m tools.architecture

reference:  ## Write the API reference, made from the docstrings, into .local/reference
	@tools/bootstrap dev
	@$(PYTHON) -m pdoc -d google -o .local/reference expr_builder expr_builder.typed
	@echo "Open .local/reference/index.html"

rules:  ## Write docs/rules.md: every rule, what it demands, an example that breaks it and one that keeps it
	@tools/bootstrap dev
	@$(PYTHON) -m tools.rules_page

lock:  ## Resolve requirements/*.in anew and write the lock files (UPGRADE=1 takes newer versions)
	@tools/bootstrap dev
	@tools/lock
