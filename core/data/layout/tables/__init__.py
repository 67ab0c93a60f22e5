"""Tables: long, wide, and of orders, turned into one."""
