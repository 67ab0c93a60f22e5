"""Commands about fits and what they say."""
