"""An OpenID Connect provider as a process; people sign in by pressing a button."""

import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from e2e_server import Server, free_port

#: Long enough for HMAC-SHA-256.
COOKIE_SECRET = "a secret of these tests, 32 bytes or more"


class Provider:
    """oidc-provider-mock, which can be stopped and started again.

    Args:
        people: The claims of those who can sign in, each with `sub`.
    """

    def __init__(self, people: list[dict[str, object]], log: Path):
        self.port, self.people, self.log = free_port(), people, log
        self.process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock"]
        command += ["--port", str(self.port)]
        for claims in self.people:
            command += ["--user-claims", json.dumps(claims)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        give_up = time.monotonic() + 60
        while True:
            try:
                address = f"{self.url}/.well-known/openid-configuration"
                urllib.request.urlopen(address, timeout=5).close()
                return
            except OSError:
                assert time.monotonic() < give_up, self.log.read_text()
                time.sleep(0.1)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(20)
        self.process = None


class ServerWithSignIn(Server):
    """The app with a provider, as docs/team.md sets it up."""

    def __init__(self, home: Path, provider: Provider):
        super().__init__(home)
        self.secrets = home.parent / "secrets.toml"
        self.secrets.write_text(
            "[auth]\n"
            f'redirect_uri = "{self.url}/oauth2callback"\n'
            f'cookie_secret = "{COOKIE_SECRET}"\n'
            'client_id = "mixwright"\nclient_secret = "secret"\n'
            "server_metadata_url = "
            f'"{provider.url}/.well-known/openid-configuration"\n'
        )

    def flags(self) -> dict[str, object]:
        return super().flags() | {"secrets.files": self.secrets}
