"""Commands about lift tests."""
