"""The words that questions are made of, and that tell nothing about what is asked (SEARCH-13)."""

from __future__ import annotations

from typing import Final

__all__ = ["STOP_WORDS"]

_ENGLISH: Final = """
a an the this that these those such same other another each every any some all both either neither
no not nor none only own very too so just quite rather really also even still yet already again ever
never once
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
she her hers herself it its itself they them their theirs themselves one ones
someone somebody something anyone anybody anything everyone everybody everything nobody nothing
what which who whom whose when where why how whatever whichever whoever whenever wherever however
whether
am is are was were be been being do does did doing done have has had having
can could shall should will would may might must ought cannot
about above across after against along among around as at before behind below beneath beside
besides between beyond by despite during except for from in inside into of on
onto out outside over per since through throughout till to toward towards under until unto up
upon via with within without
and but or if then else than because while though although unless whereas hence thus therefore
here there now
please maybe perhaps ok okay yes hi hello hey thanks thank
remember recall tell anywhere somewhere everywhere nowhere
much many more most less least few several lot lots
i'm i've i'd i'll we're we've we'd we'll you're you've you'd you'll he's he'd he'll she's she'd
she'll it's it'd it'll they're they've they'd they'll that's that'd that'll there's there'd there'll
here's what's what're what'd what'll who's who're who'd who'll where's where'd when's when'd why's
why'd how's how'd how'll let's
isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't couldn't shan't
shouldn't won't wouldn't mayn't mightn't mustn't needn't oughtn't ain't
dont doesnt didnt isnt arent wasnt werent hasnt havent cant couldnt wont wouldnt shouldnt
im ive whats thats
should've could've would've might've must've y'all o'clock
"""

_CHINESE: Final = """
的 了 是 在 和 与 及 或 也 都 就 还 又 很 更 最 不 没 没有 有 把 被 让 给 对 对于 关于 从 到
向 于 由 以 之 其 吗 呢 吧 啊 呀 嘛 着 过 地 得 个 些 这 那 哪 这个 那个 哪个 这些 那些 哪些
这里 那里 哪里 哪儿 这样 那样 我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 自己 大家
什么 怎么 怎样 怎么样 如何 为什么 为何 谁 多少 几 何时 什么时候 是否 是不是 有没有 能否
可以 能 会 要 请 因为 所以 但 但是 而 而且 如果 虽然 并 并且 或者 还是 然后
"""

_JAPANESE: Final = """
の は が を に で と も へ や か ね よ な ば から まで より など だけ しか ほど くらい ので のに
けど です ます でした ました ません だ である する した して いる いた ある あった ない なかった
なる これ それ あれ どれ ここ そこ あそこ どこ この その あの どの こう そう ああ どう
私 僕 俺 あなた 彼 彼女 私たち 何 なに なぜ どうして どうやって いつ 誰 だれ どんな いくつ いくら
そして しかし また または でも ですか ますか ください
"""

STOP_WORDS: Final = frozenset(f"{_ENGLISH} {_CHINESE} {_JAPANESE}".split())
"""The words that searches for several words leave out, unless they are all there is (SEARCH-13).

They are written as people write them, in lower case. A word of a query is one of them if its tokens
are the same, so `DON'T` is `don't`.
"""
