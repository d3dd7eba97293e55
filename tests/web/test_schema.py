"""The interface against its own description: whatever is asked, no answer is 500, and every refusal has one shape.

An answer that does not have the described shape would be a 500, too: the server checks its answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import hannan as hn
from hannan.web.app import make_app
from hannan.web.folder import Folder
from hannan.web.workspace import Workspace
from tests.web.client import Interface, opened

KNOWN = {"game": "g1", "strategy": "s1", "table": "t1", "run": "r1", "job": "j1", "player": 0, "number": 3}
"""Ids that are there: half of the requests name them."""
EXAMPLES = 8
"""Requests for each operation."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interface]:
    folder = tmp_path_factory.mktemp("schema")
    hn.certify("kuhn_poker", playthroughs=200, seed=1).save(folder / "kuhn.certificate")
    with opened(folder, "kuhn_poker") as interface:
        interface.send("/tables", {"game": "g1", "strategy": "s1"}, status=201)
        yield interface


def operations() -> list[Any]:
    """Return every operation, but for the stream, which does not end, and what would end the game under test."""
    app = make_app(Workspace(Folder(Path.cwd())))
    schema: Any = schemathesis.openapi.from_dict(app.openapi())
    found = [one.ok() for one in schema.get_all_operations()]
    return [one for one in found if not one.path.endswith("/events") and one.method != "delete"]


@pytest.mark.slow
@pytest.mark.parametrize("operation", operations(), ids=lambda one: f"{one.method} {one.path}")
def test_no_answer_is_500(page: Interface, operation: Any) -> None:
    @settings(
        max_examples=EXAMPLES,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), known=st.booleans())
    def asked(case: Any, known: bool) -> None:
        if known and case.path_parameters:
            case.path_parameters = {name: KNOWN.get(name, one) for name, one in case.path_parameters.items()}
        if known and isinstance(case.body, dict):
            case.body = {name: KNOWN.get(name, one) for name, one in case.body.items()}
        if known and case.query:
            own = {**KNOWN, "a": "s1", "b": "s1", "file": "kuhn.certificate", "sort": "name"}
            case.query = {name: own.get(name, one) for name, one in case.query.items()}
        request = case.as_transport_kwargs()
        kept = {name: request[name] for name in ("method", "url", "params", "json") if name in request}
        answer = page.client.request(**kept)
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400:
            assert answer.json().keys() == {"error", "kind"}

    asked()


def test_the_description_is_served_and_names_every_view(page: Interface) -> None:
    told = page.ask("/openapi.json")
    assert told["openapi"].startswith("3.1")
    for view in (
        "session",
        "games/{game}/node",
        "strategies/{strategy}/grid",
        "runs",
        "tables",
        "certificates",
        "compare",
    ):
        assert f"/api/v1/{view}" in told["paths"]
