"""Access: who is signed in, and what their role allows on screen."""
