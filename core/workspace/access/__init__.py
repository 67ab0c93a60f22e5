"""Access: who acts, what they may do, and the log of what they did."""
