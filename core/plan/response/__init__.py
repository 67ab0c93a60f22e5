"""Response: what spend brings, per draw: by channel, by geo, by week."""
