"""The channels of the Model screen: the table, and one channel closely."""
