"""Whether the app owes an answer to something a person did, read off its socket."""

from playwright.sync_api import Page, WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

#: How a run ends that a newer one takes the place of.
_SUPERSEDED = ForwardMsg.ScriptFinishedStatus.Value("FINISHED_EARLY_FOR_RERUN")


class Answers:
    """Follows the app's sockets of one page.

    The screen's own sign (`data-test-script-state`) still says `notRunning` between
    a key that was pressed and the first word of the server about it; on a busy
    machine that is long enough to read yesterday's numbers.

    Attributes:
        asked: How many reruns were asked for so far.
    """

    def __init__(self, page: Page):
        self.asked = 0
        self._owed: set[WebSocket] = set()
        page.on("websocket", self._follow)

    def _follow(self, socket: WebSocket) -> None:
        self._owed.clear()  # a page has one; what the one before was asked is moot
        socket.on("framesent", lambda frame: self._asked(socket, frame))
        socket.on("framereceived", lambda frame: self._told(socket, frame))
        socket.on("close", lambda _: self._owed.discard(socket))

    def _asked(self, socket: WebSocket, frame: str | bytes) -> None:
        if isinstance(frame, bytes) and BackMsg.FromString(frame).HasField(
            "rerun_script"
        ):
            self._owed.add(socket)
            self.asked += 1

    def _told(self, socket: WebSocket, frame: str | bytes) -> None:
        if not isinstance(frame, bytes):
            return
        message = ForwardMsg.FromString(frame)
        if (
            message.HasField("script_finished")
            and message.script_finished != _SUPERSEDED
        ):
            self._owed.discard(socket)

    def owed(self) -> bool:
        """A rerun was asked for that has not ended."""
        return bool(self._owed)
