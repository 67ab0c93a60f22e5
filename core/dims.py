"""Axis names and their order: a missing axis is left out, never reordered."""

CHAIN = "chain"
DRAW = "draw"
GEO = "geo"
TIME = "time"
CHANNEL = "channel"

#: Order of axes everywhere. `media_time` stands where `time` would; `control` and
#: `knot` stand where `channel` and `time` would; new axes go last.
ORDER = (CHAIN, DRAW, GEO, TIME, CHANNEL)

#: Name of the only geo of a national model (population one).
NATIONAL_GEO = "national_geo"

#: Mass of every interval shown or reported, unless it says otherwise.
INTERVAL = 0.9
