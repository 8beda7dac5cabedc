"""A language model of random weights, made in a moment: it says what random weights say."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl.chat_template_utils import qwen3_chat_template

END = "<|im_end|>"


def tokenizer() -> PreTrainedTokenizerFast:
    """A token for each byte, and the marks of Qwen3's chats."""
    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE({sign: place for place, sign in enumerate(signs)}, []))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=bytewise, pad_token="<pad>", eos_token=END)
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.chat_template = qwen3_chat_template
    return made


def config(words: PreTrainedTokenizerFast) -> Qwen3Config:
    return Qwen3Config(
        vocab_size=len(words), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, head_dim=8, max_position_embeddings=32_768,
        pad_token_id=words.pad_token_id, eos_token_id=words.eos_token_id,
    )  # fmt: skip


def save(folder: Path) -> None:
    words = tokenizer()
    words.save_pretrained(folder)
    Qwen3ForCausalLM(config(words)).save_pretrained(folder)
