"""Records of what a fit at work and a refresh say, for faces."""

from core.project.fits.previews import Preview, PreviewedChannel, PreviewedSpend
from core.project.refresh.record import RefreshRecord
