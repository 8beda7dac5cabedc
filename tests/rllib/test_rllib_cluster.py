"""RLlib on a Ray cluster of two nodes, one of which is killed while it plays."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

import pytest

pytest.importorskip("tree", reason="RLlib has a separate environment: run .ci/rllib")

import ray
from ray.cluster_utils import Cluster
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

from mhing import rllib

pytestmark = pytest.mark.filterwarnings("ignore")  # RLlib's own

NODE = {"num_cpus": 1, "object_store_memory": 10**8, "include_dashboard": False}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Two nodes with a CPU each."""
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    # Its workers are nice, and get nothing on cores that others keep busy.
    monkeypatch.setenv("RAY_worker_niceness", "0")
    nodes = Cluster(initialize_head=True, head_node_args=NODE)
    nodes.add_node(num_cpus=1, object_store_memory=10**8)
    ray.init(nodes.address, log_to_driver=False, logging_level=logging.ERROR)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def test_a_node_is_killed_in_mid_run(cluster: Cluster) -> None:
    """The runner that is left plays for both, then a new node takes the other one in."""
    config = (
        rllib.ppo_config("general_mhing", 16, opponents="random")
        .env_runners(num_env_runners=2)
        .training(train_batch_size=1024, minibatch_size=256, num_epochs=1)
        .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[32]))
        .fault_tolerance(env_runner_health_probe_timeout_s=2)
        .debugging(seed=1)
    )
    algorithm = config.build_algo()
    group = algorithm.env_runner_group
    where = "ray.get_runtime_context().get_node_id()"
    nodes = group.foreach_env_runner(lambda _: eval(where, {"ray": ray}), local_env_runner=False)
    assert len(set(nodes)) == 2
    algorithm.train()

    (lost,) = cluster.worker_nodes
    killer = threading.Thread(
        target=cluster.remove_node, args=(lost,), kwargs={"allow_graceful": False}
    )
    killer.start()
    while killer.is_alive() or group.num_healthy_remote_workers() == 2:
        algorithm.train()
    result = algorithm.train()
    assert group.num_healthy_remote_workers() == 1
    assert result["env_runners"]["num_env_steps_sampled"] >= 1024

    cluster.add_node(num_cpus=1, object_store_memory=10**8)
    while group.num_healthy_remote_workers() == 1:
        algorithm.train()
    assert algorithm.train()["env_runners"]["num_env_steps_sampled"] >= 1024
    algorithm.stop()
