"""Texts that are likely to break whatever handles text, for Hypothesis to draw from."""

from __future__ import annotations

from hypothesis import strategies as st
from session_query.text._memo import WINDOW

__all__ = ["SEGMENTATIONS", "hostile_texts", "long_texts", "token_lists"]

SEGMENTATIONS = ("script", "none")

_PIECES = [
    *"aAzZ09_ -.,'\"\n\t\0",
    *"éÉßẞſİıǅﬁŉªø",  # letters that fold or decompose
    *"ΣςσάΐᾳΩЖйё",
    *"\u0301\u0323\u0338\u0344\u0345\u0327\u0489\u20dd\u20e3\ufe0f\U000e0100",
    *"שלוםשׁ\u05c1\u05b8\u05bc\u0591مُحَمَّد\u0654\u0653آأۀ\u0670",
    *"漢字使用々〇가각ᄀ\u1161\u11a8ㅏﾡￂ",  # Han, and Hangul that composes
    *"かがカﾊﾟﾞー\u3099\u309aヽ〱",  # kana that composes
    *"กี่ำน้ນໍาខ្មែမြန်\u102e\u1025",
    *"क्षि\u09c7\u09be\u09d7\u0bc6\u0bbe\u0dd9\u0dcf\u0ddf\u0ddc",  # Indic vowels in parts
    *"😀❤👍🏽\u200d👩🇩🇪™℃①㍿㈱㎏½…´¨\ufdfa",
    *"\ud800\udfff\ufeff\u00a0\u3000\u200b\u0085\u2028\uffff",
    *"Ａ１，．＜>=",
    *"ᏣꭳႠⴀⰀ𐐀𝔸𒀀\U0001d165\U0001d15e",
]

hostile_texts = st.one_of(
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
    st.lists(st.one_of(st.sampled_from(_PIECES), st.characters()), max_size=12).map("".join),
    st.text(alphabet=st.characters(codec=None), max_size=12),
)
"""Any str, lone surrogates too, but mostly characters that interact."""

long_texts = st.lists(
    st.tuples(
        st.sampled_from("a é漢क"),
        st.sampled_from([1, 2, WINDOW - 1, WINDOW, WINDOW + 1]),
    ).map(lambda run: run[0] * run[1]),
    max_size=4,
).map("".join)
"""Texts whose tokens begin, end and go on where long texts are divided."""

token_lists = st.lists(st.sampled_from(["a", "b", "c"]), max_size=40)
"""Documents as token texts, so alike that most phrases recur and overlap."""
