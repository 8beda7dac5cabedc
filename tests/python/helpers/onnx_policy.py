"""An ONNX policy, made without a trainer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mhing


def write_policy(folder: Any, game: mhing.Game) -> Any:
    """An ONNX file whose logits rise with the action's id, so that it plays the last legal one."""
    onnx = pytest.importorskip("onnx")
    helper, kinds = onnx.helper, onnx.TensorProto
    rise = np.arange(game.num_actions, dtype=np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("ReduceMean", ["observation"], ["mean"], keepdims=1),
            helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
            helper.make_node("Cast", ["action_mask"], ["mask"], to=kinds.FLOAT),
            helper.make_node("Mul", ["mask", "zero"], ["flat"]),
            helper.make_node("Add", ["flat", "rise"], ["rising"]),
            helper.make_node("Add", ["rising", "nothing"], ["logits"]),
        ],
        "policy",
        [
            helper.make_tensor_value_info("observation", kinds.FLOAT, [1, game.observation_size]),
            helper.make_tensor_value_info("action_mask", kinds.INT8, [1, game.num_actions]),
        ],
        [helper.make_tensor_value_info("logits", kinds.FLOAT, [1, game.num_actions])],
        [
            helper.make_tensor("rise", kinds.FLOAT, [game.num_actions], rise),
            helper.make_tensor("zero", kinds.FLOAT, [], [0.0]),
        ],
    )
    path = folder / "policy.onnx"
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)
    return path
