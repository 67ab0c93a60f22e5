"""How files become one table, for screens that show every step of it."""

from core.data.layout import currencies
from core.data.layout.again import matched, read_again
from core.data.layout.describe import Choice, channel_choices, sentence, totals_table
from core.data.layout.grouping import channels
from core.data.layout.guess import Guess, guess
from core.data.layout.kinds.dating import epoch_question
from core.data.layout.opening import Load, SeveralTables, open_file
from core.data.layout.reading import made
