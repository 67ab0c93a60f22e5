"""Projects: which project?"""
