"""Records of what a fit at work says, for faces."""

from core.project.fits.previews import Preview, PreviewedChannel, PreviewedSpend
