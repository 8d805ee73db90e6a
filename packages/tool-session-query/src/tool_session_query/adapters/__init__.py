"""The toolset in agent frameworks, one module each; importing one imports its framework.

Each has one function, which takes a `ToolCalls` and `session_of`. That function gets what the host
put into the framework's own run context and returns the session of the agent that runs, or None.
Nothing that a model sends gets there, so no argument can change who calls (TOOL-4, AUTH-1).
"""
