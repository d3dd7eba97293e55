"""Ray with several nodes: real raylets on this machine, of which some are lost."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import hannan.pieces.ray as ray_workers
from hannan.errors import HannanError, PieceError
from hannan.pieces import run_pieces, workers_of
from tests.pieces import work

pytestmark = pytest.mark.slow

SMALL = {"num_cpus": 1, "object_store_memory": 100 << 20}
Start = Callable[[], Any]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """What starts a cluster of one head node without cores and one node with one core, always at the same address."""
    from ray.cluster_utils import Cluster

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    clusters: list[Any] = []

    def begin() -> Any:
        head = {"num_cpus": 0, "object_store_memory": 100 << 20, "include_dashboard": False, "gcs_server_port": port}
        clusters.append(Cluster(initialize_head=True, head_node_args=head))
        clusters[-1].add_node(**SMALL)
        monkeypatch.setenv("RAY_ADDRESS", clusters[-1].address)
        return clusters[-1]

    yield begin
    for cluster in clusters:
        cluster.shutdown()


def test_a_node_may_be_lost(start: Start) -> None:
    """Its pieces are made on another node, also one that came later."""
    cluster = start()
    with workers_of("ray", 2) as workers:
        second = cluster.add_node(**SMALL)
        found = []
        for number, result in run_pieces(work.slow, range(30), workers, shared=0.05):
            found.append((number, result))
            if number == 5:
                cluster.remove_node(second, allow_graceful=False)
            if number == 10:
                cluster.add_node(**SMALL)
        assert found == [(k, k) for k in range(30)]


def test_a_node_that_cannot_take_the_work_is_left_out(start: Start) -> None:
    """Its disk is full, say. If no node can take the work, there is a sentence."""
    cluster = start()
    (good,) = cluster.worker_nodes
    cluster.add_node(**SMALL, env_vars={"HANNAN_TEST_FULL": "1"})
    with workers_of("ray", 2) as workers:
        found = list(run_pieces(work.unfussy, range(20), workers, shared=work.Fussy()))
        assert found == [(k, k) for k in range(20)]
    cluster.remove_node(good, allow_graceful=False)
    with workers_of("ray", 1) as workers, pytest.raises(HannanError, match=r"no worker on Ray could begin: .*No space"):
        list(run_pieces(work.unfussy, range(20), workers, shared=work.Fussy()))


def test_a_head_node_may_be_restarted(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run goes on with the new cluster; with no new one, it ends with a sentence."""
    cluster = start()
    with workers_of("ray", 1) as workers:
        found = []
        for number, result in run_pieces(work.slow, range(20), workers, shared=0.05):
            found.append((number, result))
            if number == 5:
                cluster.shutdown()
                cluster = start()
        assert found == [(k, k) for k in range(20)]
        monkeypatch.setattr(ray_workers, "AWAY", 1.0)
        lost = run_pieces(work.slow, range(500), workers, shared=0.05)
        assert next(lost) == (0, 0)
        cluster.shutdown()
        with pytest.raises(PieceError, match=r"the Ray cluster was lost .*could not be joined again within 1 seconds"):
            list(lost)
