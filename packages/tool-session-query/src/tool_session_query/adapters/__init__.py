"""The toolset in agent frameworks, one module each; importing one imports its framework."""
