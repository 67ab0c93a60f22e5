"""What several screens share: state, navigation, tables, words, messages."""
