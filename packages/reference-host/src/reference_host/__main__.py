"""`python -m reference_host` is the command `reference-host`."""

from reference_host.cli import main

main(prog_name="reference-host")
