"""MCP: tools and resources for agents, over the service, on standard input and output.

It acts as the user who started it, with their role, and changes nothing unless it was
started with `--write`. Every number comes with a verdict, an advice and its units.
"""
