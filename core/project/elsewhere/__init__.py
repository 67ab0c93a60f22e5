"""People who come from elsewhere: model files of other programs, taken over."""
