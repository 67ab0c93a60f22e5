"""One channel closely: what its assumptions imply at once, and all that can be set.

What a channel's assumptions imply, in numbers and words.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st
import xarray as xr

from core import text as fmt
from core.charts.drawing import shapes
from core.charts.fits import prior as figures
from core.errors import MMMError, SpecError
from core.service.records.model import (
    ADSTOCK_PARAMETERS,
    TREATMENT,
    ChannelSpec,
    Market,
    ModelSpec,
    Preset,
    Prior,
    elicitation,
    implied_shapes,
    prior_of,
    with_prior,
)
from core.service.records.model import default_of as default_prior
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.model import dates
from pages.model.channel import prior_form
from pages.model.channel.parameters import WHAT
from pages.ui import drawn, layout, state
from pages.ui.fields import gated
from pages.ui.findings import plain, show_error
from pages.ui.reader.once import once


def shapes_of(
    channel: ChannelSpec,
    priors: dict[str, Prior],
    max_lag: int,
    preset: Preset,
    about: Market,
) -> xr.Dataset:
    """Carryover and saturation that priors imply, computed once."""
    curves = _shapes(channel, priors, max_lag, preset)
    return curves.assign_attrs(_attributes(about))


@once(lambda *media: media, most=64)
def _shapes(channel: ChannelSpec, priors: dict[str, Prior], lag: int, preset: Preset):
    curves = implied_shapes(channel, priors, lag, preset)
    if preset != "meridian":
        curves["media_grid"].attrs["unit"] = shapes.TYPICAL
    elif "reach" in channel.kind:
        curves["media_grid"].attrs["unit"] = shapes.FREQUENCY
    return curves


def _attributes(about: Market) -> dict[str, object]:
    """Window of the market, from which figures name a period."""
    if len(about.dates) < 2:
        return {}
    return {
        "start": about.dates[0],
        "end": about.dates[-1],
        "n_times": len(about.dates),
    }


def interval(draws) -> str:
    """Median and interval of draws."""
    low, middle, high = (
        f"{float(value):.1f}" for value in draws.quantile([0.05, 0.5, 0.95])
    )
    return middle if low == high else f"{middle} ({low} – {high})"


def share(draws) -> str:
    """The same of draws of a share, in percent: `57 % (20 – 89)`."""
    low, middle, high = (float(each) for each in draws.quantile([0.05, 0.5, 0.95]))
    if round(100 * low) == round(100 * high):
        return fmt.share(middle)
    ends = {"median": middle, "lo": low, "hi": high}
    return fmt.estimate(ends, "share", centre="median")


def implied(prior: Prior, channel: ChannelSpec, about: Market) -> str:
    """What the prior says on the other scales."""
    try:
        return elicitation.implied(
            prior,
            about.totals.spend.get(channel.name),
            about.totals.outcome,
            kind=channel.effective_prior_kind,
            outcome_name=about.units.outcome_in_text,
        ).text
    except SpecError as error:
        return reworded(str(error))


_KINDS = {
    "roi": marked("ROI"),
    "mroi": marked("Marginal ROI"),
    "coefficient": marked("Coefficient"),
}
_OF_MERIDIAN = {"ec": marked("ec, half-saturation in scaled media")}
_ONE, _LEARNT, _OWN = marked("fixed at 1"), marked("estimated"), marked("as set")


def edit(
    spec: ModelSpec, name: str, about: Market, colour: str | None, *, is_analyst: bool
) -> ModelSpec:
    """Draw the cards of one channel; returns the options as edited."""
    channel = spec.channel(name)
    card = _Card(spec, about, colour, is_analyst)
    cards: tuple[Callable, ...] = (card.returns, card.carryover, card.saturation)
    if channel.kind == "non_media":
        cards = (card.returns, card.baseline)
    columns = st.container(key="model.cards").columns(3, gap="small")
    for column, draw in zip(columns, cards, strict=False):
        with column.container(border=True, height="stretch", gap="small"):
            try:
                channel = draw(channel)
            except MMMError as error:
                show_error(error)
    return spec if channel == spec.channel(name) else spec.with_channel(channel)


class _Card:
    """The cards of a channel: each draws itself and returns the channel as edited."""

    def __init__(
        self, spec: ModelSpec, about: Market, colour: str | None, is_analyst: bool
    ):
        self.spec, self.about = spec, about
        self.colour, self.is_analyst = colour, is_analyst

    def returns(self, channel: ChannelSpec) -> ChannelSpec:
        """What the treatment prior says, its calibration windows, its form."""
        prior = self._prior(channel, TREATMENT)
        kind = channel.effective_prior_kind
        look = {"kind": kind, "colour": self.colour, "units": self.about.units}
        make = partial(figures.density, prior, **look)
        drawn.show("model.density", make, prior, look)
        st.caption(plain(implied(prior, channel, self.about)))
        with st.container(horizontal=True):
            stems = [TREATMENT]
            if self.about.geos and channel.kind != "non_media":
                stems.append("eta")
            channel = self._priors(channel, "returns", stems)
            if kind == "roi" and (self.is_analyst or channel.calibration):
                channel = self._windows(channel)
        return channel

    def carryover(self, channel: ChannelSpec) -> ChannelSpec:
        """The carryover that the priors imply, and their forms."""
        curves = self._shapes(channel)
        self._show(shapes.adstock, curves, channel)
        half, word = (
            interval(curves["half_life"]),
            shapes.period(curves.attrs),
        )
        layout.remark(
            "Half of the effect comes within {half} {periods}.",
            half=half,
            periods=fmt.periods(word),
        )
        return self._priors(channel, "carryover", ADSTOCK_PARAMETERS[channel.adstock])

    def saturation(self, channel: ChannelSpec) -> ChannelSpec:
        """The saturation that the priors imply, and their forms."""
        if channel.saturation == "none":
            st.markdown(say("**No saturation**"))
            layout.remark("Each further contact adds as much as the one before.")
            return channel
        curves = self._shapes(channel)
        self._show(shapes.saturation, curves, channel)
        if self.spec.preset != "meridian":
            now = share(curves["now"])
            reach = "reach" in channel.kind
            what = marked("frequency") if reach else marked("exposure")
            layout.remark(
                "Typical {what} gets {now} of the largest effect.",
                what=say(what),
                now=now,
            )
        elif "reach" in channel.kind:
            at = interval(curves["half_at"])
            layout.remark("Half of the largest effect comes at {at} exposures.", at=at)
        else:
            now = share(curves["now"])
            word = shapes.period(curves.attrs)
            layout.remark(
                "A typical {word} gets {now} of the largest effect.",
                word=say(word),
                now=now,
            )
        if not self.is_analyst:
            return channel
        with st.container(horizontal=True, vertical_alignment="center"):
            channel = self._slope(channel)
            return self._priors(channel, "saturation", ("ec", "slope"))

    def baseline(self, channel: ChannelSpec) -> ChannelSpec:
        """The value of a treatment that counts as none of it."""
        st.markdown(say("**Baseline of the treatment**"))
        layout.remark("Its contribution is what it brings beyond this value.")
        ways = {
            "min": say("the lowest value"),
            "max": say("the highest value"),
            "": say("a value"),
        }
        now = channel.baseline if isinstance(channel.baseline, str) else ""
        way = gated.selectbox(
            say("Counts as none"),
            list(ways),
            list(ways).index(now),
            format_func=ways.get,
            key=self._widget(channel, "baseline"),
            help=say(
                "For a price, choose the usual price: the lowest one would count "
                "every normal week as an effect. Default: the lowest value."
            ),
        )
        if way:
            return replace(channel, baseline=way)
        value = gated.number_input(
            say("Value"),
            value=0.0 if now else float(channel.baseline),
            format="%.6g",
            key=self._widget(channel, "baseline_value"),
            help=say("In the units of its column."),
        )
        return replace(channel, baseline=float(value))

    def _slope(self, channel: ChannelSpec) -> ChannelSpec:
        """Steepness of the Hill curve: one, or learnt."""
        prior = self._prior(channel, "slope")
        default = self._default(channel, "slope")
        learnt = default if default.family != "Deterministic" else _learnt_slope()
        by_way = {_ONE: Prior("Deterministic", (1.0,)), _LEARNT: learnt}
        ways = [_ONE, _LEARNT]
        now = next((way for way in ways if by_way[way] == prior), _OWN)
        usual = _ONE if default.family == "Deterministic" else _LEARNT
        way = gated.segmented_control(
            say("Slope of the curve"),
            ways if now != _OWN else [*ways, _OWN],
            default=now,
            required=True,
            format_func=lambda way: say("slope 1") if way == _ONE else say(way),
            key=self._widget(channel, f"slope.{now}"),
            label_visibility="collapsed",
            wrap=True,
        )
        st.markdown(
            "",
            help=say(
                "At 1 each contact adds less from the first on; estimated, the curve "
                "may also begin slowly, like an S. Default: {usual}.",
                usual=say(usual),
            ),
            width="content",
        )
        if way in (now, _OWN):
            return channel
        state.start_afresh("closely")
        return with_prior(self.spec, channel, "slope", by_way[way], self.about.totals)

    def _windows(self, channel: ChannelSpec) -> ChannelSpec:
        """Dates in which the ROI prior holds."""
        number = len(channel.calibration)
        with st.popover(
            say("Calibration ({number})", number=number)
            if number
            else say("Calibration"),
            icon=":material/date_range:",
        ):
            layout.remark(
                "Dates in which the ROI prior holds, such as those of the test "
                "that it comes from. Default: none, all periods."
            )
            ranges = dates.edit(
                channel.calibration,
                self.about.dates,
                self._widget(channel, "calibration"),
                alt=say("Calibration windows"),
            )
        if ranges == channel.calibration:
            return channel
        dates.check_order(ranges, say("Channel {name}", name=channel.name))
        state.start_afresh("closely")
        return replace(channel, calibration=ranges)

    def _priors(self, channel: ChannelSpec, card: str, stems) -> ChannelSpec:
        """A form of each prior, one at a time, for analysts."""
        if not self.is_analyst:
            return channel
        what = WHAT | (_OF_MERIDIAN if self.spec.preset == "meridian" else {})
        names = {
            stem: say(what[stem]) if stem in what else self._treatment(channel)
            for stem in stems
        }
        with st.popover(say("Prior"), icon=":material/tune:", width="content"):
            stem = next(iter(names))
            if len(names) > 1:
                stem = st.segmented_control(
                    say("Parameter"),
                    list(names),
                    default=stem,
                    format_func=names.get,
                    required=True,
                    key=self._widget(channel, f"{card}.stem"),
                )
            else:
                st.markdown(f"**{names[stem]}**")
            key = self._widget(channel, f"{card}.{stem}")
            prior = self._prior(channel, stem)
            edited = prior_form.edit(prior, self._default(channel, stem), key)
            self._density(edited or self._default(channel, stem), names[stem], stem)
        if edited is prior:
            return channel
        if edited is None:
            state.start_afresh("closely")
        return with_prior(self.spec, channel, stem, edited, self.about.totals)

    def _density(self, prior: Prior, name: str, stem: str) -> None:
        """The prior just edited, beside its form."""
        make = partial(figures.small_density, prior, name, colour=self.colour)
        drawn.show(f"model.form.{stem}", make, prior, name, self.colour)

    def _show(self, figure: Callable, shapes, channel: ChannelSpec) -> None:
        make = partial(figure, shapes, channel.name, colour=self.colour, is_prior=True)
        name = f"model.{figure.__name__}"
        drawn.show(name, make, self.colour, *self._key(channel))

    def _treatment(self, channel: ChannelSpec) -> str:
        kind = channel.effective_prior_kind
        if kind == "contribution":
            return say("Contribution as a share")
        return say(_KINDS.get(kind, "Coefficient"))

    def _prior(self, channel: ChannelSpec, stem: str) -> Prior:
        return prior_of(self.spec, channel, stem, self.about.totals)

    def _default(self, channel: ChannelSpec, stem: str) -> Prior:
        return default_prior(self.spec, channel, stem, self.about.totals)

    def _shapes(self, channel: ChannelSpec):
        return shapes_of(*self._key(channel), self.spec.preset, self.about)

    def _key(self, channel: ChannelSpec):
        lag = self.spec.max_lag if channel.max_lag is None else channel.max_lag
        stems = (*ADSTOCK_PARAMETERS[channel.adstock], "ec", "slope")
        priors = {stem: self._prior(channel, stem) for stem in stems}
        bare = ChannelSpec(channel.name, channel.kind, channel.adstock)
        return bare, priors, lag

    def _widget(self, channel: ChannelSpec, name: str) -> str:
        return f"model.closely.{channel.name}.{name}.{state.edition('closely')}"


def _learnt_slope() -> Prior:
    """Between a curve that flattens early and a clear S, centred on one."""
    return elicitation.from_range(0.5, 2.0)
