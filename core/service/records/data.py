"""Tables, columns and findings, for faces that name their types."""

from core.data.ahead.horizon import (
    MOST_YEARS,
    PlanHorizon,
    next_times,
    periods_per_year,
    plan_horizon,
)
from core.data.input_data import InputData
from core.data.layout.kinds.exports import Doubtful, File
from core.data.layout.reading import Table, mapping_of_table, read_files
from core.data.reading.doubts import THOUSANDS, WHOLE, Question, answered, questions
from core.data.recognition.roles import (
    CHANNEL_ROLES,
    ColumnRole,
    Role,
    mapping_from_roles,
)
