"""What a plan says of itself: its channels, and what it is compared with."""
