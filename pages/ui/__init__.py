"""What screens share: state, navigation, the side bar, tables, messages."""
