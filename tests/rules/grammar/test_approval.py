"""Approval: praise and rejection of the last reply, and messages that are neither."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.rules.grammar.approval import approval

# A paragraph a language: English, Spanish, Portuguese, French, German, Italian, Chinese, Japanese.
PRAISE = """
perfect! | works now, thanks | not bad at all | great job | that's exactly what I wanted
thank you, that works | looks good | no more errors, thanks | much better | Awesome 👍 | nailed it
LGTM

¡perfecto! | ya funciona, gracias | nada mal | muy bien hecho | excelente | me encanta
gracias, eso es | mucho mejor | genial | exacto, gracias

perfeito! | funcionou, obrigado | ótimo | muito bem | adorei | é isso mesmo
agora funciona | excelente trabalho | deu certo, obrigada

parfait ! | ça marche, merci | pas mal du tout | super, merci | excellent travail | c'est ça
exactement | j'adore | très bien | beaucoup mieux

perfekt! | funktioniert jetzt, danke | nicht schlecht | super gemacht | sehr gut | genau so
klasse | viel besser | passt

perfetto! | ora funziona, grazie | niente male | ottimo lavoro | molto bene | esatto | mi piace
bravissimo | molto meglio

太好了 | 完美 | 谢谢，可以了 | 不错 | 很好 | 就是这样 | 太棒了 | 没错，谢谢 | 成功了 | 非常好

完璧です | ありがとう、動きました | 悪くないね | 素晴らしい | 助かりました | いいですね | その通り
最高 | うまくいきました | さすが

Nice work, thank you so much | That did the trick, thanks! | Yes, that's it | Brilliant
good, thanks | Cool, it works | ¡Genial, muchas gracias! | Sí, perfecto | Está perfecto así
Buen trabajo | Isso, obrigado! | Ficou ótimo | Perfeito, era isso
Génial, ça fonctionne | Oui, c'est parfait | Top, danke! | Ja, genau | Das ist super
Jetzt klappt es | Sì, perfetto grazie | Ottimo, funziona | Va benissimo | 太完美了
对了，就是这个 | 完璧、ありがとう | うん、いいね | very good
"""
REJECTION = """
that doesn't work | thanks but it still fails | wrong | this is not what I asked for
useless answer | still broken | not helpful | no good | it's not right | it crashes
that's terrible | same error again | this isn't great

no funciona | gracias pero sigue sin funcionar | está mal | eso no es correcto | no me gusta
incorrecto | todavía falla | no es lo que pedí | pésimo | no sirve

não funciona | obrigado mas ainda não funciona | está errado | não é isso | não gostei | péssimo
não deu certo | continua com erro | não ajudou | horrível

ça ne marche pas | merci mais ça ne fonctionne toujours pas | c'est faux | pas bon
mauvaise réponse | c'est nul | ce n'est pas ça | ça plante | pas utile | inutile

das funktioniert nicht | danke, aber es geht immer noch nicht | falsch | das stimmt nicht
nicht hilfreich | schlecht | das ist Quatsch | klappt leider nicht | immer noch falsch
unbrauchbar

non funziona | grazie ma ancora non funziona | sbagliato | non è corretto | non mi piace | pessimo
non va bene | inutile | non è quello che volevo | ancora errore

不对 | 还是不行 | 错了 | 没用 | 谢谢，但还是报错 | 不好用 | 太差了 | 不正确 | 这不是我想要的
不满意

動かない | ありがとう、でもまだエラーが出ます | 違います | 間違っています | ダメです
うまくいきません | 役に立たない | ひどい | 全然違う | まだ動きません

Nope, still not working | That didn't help | this is garbage | not what I wanted | I don't like it
That's not correct | it's worse now | No me sirve | Eso no funciona | Sigue fallando | Mal
Não serve | Ficou horrível | Ainda está errado | Ça marche toujours pas | C'est pas bon
Je n'aime pas | Das war nicht richtig | Es geht nicht | Gefällt mir nicht | Leider falsch
Non mi serve | È sbagliato | Non va | 这个不行 | 答案不对 | 还是有错误 | ダメだ、動かない
それは違う | まだ失敗します
"""
NEITHER = """
kein Problem | no problem | thanks, now add a test | What works best here?
Can you make it great? | hello | list the open invoices | How do I fix a broken pipe? | never mind
write a great headline please | The perfect tense is used for finished actions | ok

no hay problema | ¿funciona en Windows? | gracias, ahora haz otro | haz una lista | hola
sin problema

sem problema | isso funciona no Windows? | obrigado, agora adicione testes | olá | faça uma lista
crie um teste

pas de problème | est-ce que ça marche sur Windows ? | merci, maintenant ajoute un test | bonjour
fais une liste | de rien

Keine Sorge | Funktioniert das auch unter Windows? | Danke, kannst du noch einen Test schreiben
Hallo | Mach eine Liste | macht nichts

nessun problema | funziona su Windows? | grazie, puoi aggiungere un test | ciao | fai una lista
di niente

没问题 | 这个在Windows上能用吗？ | 谢谢，请再加一个测试 | 你好 | 列出文件 | 没关系

問題ない | これは動きますか？ | ありがとう、次はテストを書いてください | こんにちは | 一覧を作って
大丈夫です

The server is not working since Monday, can you look? | Write a thank you note to my boss
What does 'not working' mean? | Is this correct? | Translate 'perfect' to French
find the wrong entries in the table | Make it better | sounds like a plan, go ahead | yes
fix the broken link in the README | Perfect the algorithm for large inputs | List all failed jobs
¿Es correcto? | Traduce 'gracias' | Busca los errores | Corrige o erro no arquivo
C'est correct ? | Trouve les fausses entrées | Ist das richtig? | Finde die falschen Einträge
È giusto? | Trova gli errori | 这个对吗？ | 找出错误的条目 | これで正しいですか？ | 間違いを探して
エラーを修正して | Why is it wrong?
"""


def messages(table: str) -> list[str]:
    pieces = (piece.strip() for line in table.splitlines() for piece in line.split("|"))
    return [piece for piece in pieces if piece]


@pytest.mark.parametrize("message", messages(PRAISE))
def test_praise_is_positive(message: str):
    assert approval(message) == "positive"


@pytest.mark.parametrize("message", messages(REJECTION))
def test_rejection_is_negative(message: str):
    assert approval(message) == "negative"


@pytest.mark.parametrize("message", messages(NEITHER))
def test_other_messages_are_no_verdict(message: str):
    assert approval(message) is None


def test_a_long_message_is_no_verdict_by_its_thanks():
    assert (
        approval("thanks! " + "Here is the whole log of the build that I ran today. " * 5) is None
    )


@given(st.text(max_size=400))
def test_any_text_has_an_answer(message: str):
    assert approval(message) in {"positive", "negative", None}


MANNERS = """
thx | thanks | Thank you! | ty | gracias | valeu | obrigado | merci beaucoup | vielen Dank
grazie mille | 谢谢 | ありがとうございます！ | ok thanks
"""
SARCASM = """
Thanks for nothing | thanks a lot for deleting my table | Great, now it is even slower
Oh wonderful | great job breaking the build | Perfect. Another crash | gracias por nada
merci pour rien | Danke für nichts | grazie per niente | Na toll | Nice work deleting everything 🙄
"""


@pytest.mark.parametrize("message", messages(MANNERS))
def test_thanks_alone_are_no_praise(message: str):
    assert approval(message) is None


@pytest.mark.parametrize("message", messages(SARCASM))
def test_sarcasm_is_no_praise(message: str):
    assert approval(message) != "positive"
