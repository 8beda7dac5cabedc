"""Language models of random weights, made in a moment: they say what these say, or a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import torch
from model_server import moves_in
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

END = "<|im_end|>"
CHAT = (
    "{% for one in messages %}<|im_start|>{{ one.role }}\n{{ one.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""The template of chats without tools."""


def tokenizer(template: str = CHAT) -> PreTrainedTokenizerFast:
    """A token for each byte, and the marks of Qwen3's chats."""
    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE({sign: place for place, sign in enumerate(signs)}, []))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=bytewise, pad_token="<pad>", eos_token=END)
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.chat_template = template
    return made


def config(words: PreTrainedTokenizerFast) -> Qwen3Config:
    return Qwen3Config(
        vocab_size=len(words), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, head_dim=8, max_position_embeddings=32_768,
        pad_token_id=words.pad_token_id, eos_token_id=words.eos_token_id,
    )  # fmt: skip


def save(folder: Path, template: str = CHAT) -> None:
    words = tokenizer(template)
    words.save_pretrained(folder)
    Qwen3ForCausalLM(config(words)).save_pretrained(folder)


def call(move: str) -> str:
    """The call of the tool that plays a move, as Qwen3 writes it."""
    called = json.dumps({"name": "play", "arguments": {"move": move}})
    return f"<tool_call>\n{called}\n</tool_call>"


class Scripted(Qwen3ForCausalLM):
    """A network that says what a script says: a move by chance, or nonsense."""

    def script(
        self, words: PreTrainedTokenizerFast, phrase: Callable[[str], str], nonsense: float = 0.0
    ) -> None:
        """Set what it says: the phrase of a move, and something else with a probability."""
        self.words, self.rng = words, Random(1)
        self.phrase, self.nonsense = phrase, nonsense
        self.questions: list[str] = []

    def generate(self, input_ids: torch.Tensor, **_: Any) -> torch.Tensor:
        said = [self.reply(self.words.decode(row)) for row in input_ids]
        tokens = self.words(said, padding=True, padding_side="right", return_tensors="pt")
        return torch.cat([input_ids, tokens["input_ids"]], dim=1)

    def reply(self, chat: str) -> str:
        question = chat.rpartition("<|im_start|>user\n")[2]
        self.questions.append(question)
        if "Moves: " not in question:
            return f"That was it.{END}"
        move = self.rng.choice(moves_in(question))
        if self.rng.random() < self.nonsense:
            move = "the best one"
        return f"{self.phrase(move)}{END}"
