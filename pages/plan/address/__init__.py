"""What is typed into a plan and not saved yet, in the address of the page."""
