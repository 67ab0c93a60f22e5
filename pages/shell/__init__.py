"""What frames every screen: the side bar with its steps, dialogs, memory."""
