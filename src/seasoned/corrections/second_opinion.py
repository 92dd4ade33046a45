"""Give a second opinion on an uncertain correction, by comparing the message with prototypes.

The embedder compares the message with short sentences that correct and with ordinary turns; the
nearest of each decide. It answers only far on one side, where it was right in trials. It may revoke
a correction or make it likely, but never SAFE, because similar words may mean something else.
Dissatisfaction has no typical sentence, so it has no opinion on DISSATISFIED.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from seasoned.corrections.correction import SAFE, Correction, CorrectionKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]

Embed = Callable[[Sequence[str]], "Vectors"]  # a row of length 1 for each text, zeros for a blank

ORDINARY, CORRECTS = -0.2, 0.3  # similarity to corrections minus to ordinary turns; between: None
STEEPNESS, SHIFT = 4.5, -0.5  # of 13 trials at CORRECTS or above 9 corrected, of 13 below 0 two
HIGHEST_OPINION = SAFE - 0.01
READ_OF_MESSAGE = 400  # characters


class EmbedderOpinion:
    """An embedder's opinion on a message, as a `SecondOpinion` for `find_correction`.

    `embed` turns texts into rows of length 1; it is called twice for a language and once for each
    message. Its exceptions reach the caller.
    """

    def __init__(self, embed: Embed) -> None:
        self.embed = embed
        self._known: dict[str, tuple[Vectors, Vectors]] = {}

    def __call__(self, message: str, correction: Correction) -> float | None:
        """Return the probability that a message corrects; None if it cannot tell."""
        if correction.kind is CorrectionKind.DISSATISFIED or correction.language is None:
            return None
        corrections, ordinary = self._prototypes(correction.language)
        read = self.embed([message[:READ_OF_MESSAGE]])[0]
        if not read.any():
            return None
        nearer = float((corrections @ read).max() - (ordinary @ read).max())
        if ORDINARY < nearer < CORRECTS:
            return None
        likely = 1 / (1 + math.exp(-(STEEPNESS * nearer + SHIFT)))
        return likely if nearer < 0 else max(correction.score, min(likely, HIGHEST_OPINION))

    def _prototypes(self, language: str) -> "tuple[Vectors, Vectors]":
        if language not in self._known:
            sentences = PROTOTYPES[language]
            self._known[language] = (
                self.embed(sentences.corrections.splitlines()),
                self.embed(sentences.ordinary.splitlines()),
            )
        return self._known[language]


@dataclass(frozen=True)
class Prototypes:
    """Sentences that correct and ordinary turns, one a line."""

    corrections: str
    ordinary: str


PROTOTYPES: Mapping[str, Prototypes] = {
    "en": Prototypes(
        """That is not what I asked for.
No, that is wrong, please fix it.
You misunderstood me, I meant the other one.
I already told you that, you did not listen.
I asked for something else, you gave me the wrong one.
No, use this instead of that.
Why did you do that? I did not want it.
You keep making the same mistake.
Stop doing that, do it the way I said.
I do not need that, I just need the number.
What are you talking about? That makes no sense.
No, I need it for the other day.
I'm sorry, I actually wanted a different one.
I have not seen that one, suggest something else.
No, I do not like that, give me another.
Are you sure? Please check again.""",
        """Thank you, that is all I need, goodbye.
Yes please, that sounds great.
That is very kind of you, have a nice day.
I love the main character, he reminds me of my brother.
I like that film because the story and the actors are good.
I think it was a funny movie and the characters were great.
My favourite genre is comedy, I watch it with my family.
The plot was slow and the acting was not good, it was boring.
I usually go there with my friends at the weekend.
Good morning, how are you doing?
What is the weather like tomorrow?
Remind me to call my mother tonight.
How was your day? I went to work and then cooked dinner.
She told me about her new job, and we laughed a lot.
It is not my kind of music, but the singer is good.
I grew up in a small town near the sea.""",
    ),
    "es": Prototypes(
        """Eso no es lo que te pedí.
No, eso está mal, corrígelo.
No me has entendido, me refería al otro.
Ya te lo dije, no me escuchas.
Te pedí otra cosa, me diste la equivocada.
No, usa esto en vez de eso.
¿Por qué has hecho eso? No lo quería.
Siempre cometes el mismo error.
Deja de hacer eso, hazlo como te dije.
No necesito eso, solo quiero el número.
¿De qué hablas? Eso no tiene sentido.
¿Estás seguro? Compruébalo otra vez.""",
        """Gracias, eso es todo, adiós.
Sí, por favor, me parece muy bien.
Muy amable, que tengas un buen día.
El personaje principal me recuerda a mi hermano.
Me gusta esa película porque la historia es buena.
Me parece que fue divertida y los actores eran buenos.
La trama era lenta, me aburrió un poco.
Suelo ir con mis amigos los fines de semana.
Buenos días, ¿qué tal estás?
¿Qué tiempo hará mañana?
Recuérdame llamar a mi madre esta noche.
Hoy fui a trabajar y luego hice la cena.""",
    ),
    "pt": Prototypes(
        """Não foi isso que eu pedi.
Não, isso está errado, corrija.
Você não me entendeu, eu quis dizer o outro.
Eu já te disse isso, você não ouviu.
Pedi outra coisa, você me deu a errada.
Não, usa isto em vez daquilo.
Por que você fez isso? Eu não queria.
Você comete sempre o mesmo erro.
Pare de fazer isso, faça como eu disse.
Não preciso disso, só quero o número.
Do que você está falando? Isso não faz sentido.
Tem certeza? Verifique outra vez.""",
        """Obrigado, é tudo, tchau.
Sim, por favor, parece ótimo.
Muito gentil, tenha um bom dia.
O personagem principal me lembra o meu irmão.
Gosto desse filme porque a história é boa.
Achei divertido e os atores eram bons.
O enredo era lento, achei um pouco chato.
Costumo ir com meus amigos no fim de semana.
Bom dia, como vai você?
Como vai estar o tempo amanhã?
Me lembre de ligar para minha mãe hoje à noite.
Hoje fui trabalhar e depois fiz o jantar.""",
    ),
    "fr": Prototypes(
        """Ce n'est pas ce que j'ai demandé.
Non, c'est faux, corrige-le.
Tu ne m'as pas compris, je parlais de l'autre.
Je te l'ai déjà dit, tu n'écoutes pas.
J'ai demandé autre chose, tu m'as donné le mauvais.
Non, utilise ceci au lieu de cela.
Pourquoi as-tu fait ça ? Je ne le voulais pas.
Tu fais toujours la même erreur.
Arrête de faire ça, fais comme je t'ai dit.
Je n'ai pas besoin de ça, je veux juste le numéro.
De quoi parles-tu ? Ça n'a aucun sens.
Tu es sûr ? Vérifie encore une fois.""",
        """Merci, c'est tout, au revoir.
Oui, s'il te plaît, très bien.
C'est très gentil, bonne journée.
Le personnage principal me rappelle mon frère.
J'aime ce film parce que l'histoire est bonne.
Je l'ai trouvé drôle et les acteurs étaient bons.
L'intrigue était lente, je me suis un peu ennuyé.
J'y vais d'habitude avec mes amis le week-end.
Bonjour, comment vas-tu ?
Quel temps fera-t-il demain ?
Rappelle-moi d'appeler ma mère ce soir.
Aujourd'hui j'ai travaillé, puis j'ai fait la cuisine.""",
    ),
    "de": Prototypes(
        """Das habe ich nicht verlangt.
Nein, das ist falsch, korrigiere es.
Du hast mich missverstanden, ich meinte das andere.
Das habe ich dir schon gesagt, du hörst nicht zu.
Ich wollte etwas anderes, du hast mir das Falsche gegeben.
Nein, nimm dies statt jenem.
Warum hast du das gemacht? Das wollte ich nicht.
Du machst immer denselben Fehler.
Hör auf damit, mach es so, wie ich gesagt habe.
Das brauche ich nicht, ich will nur die Nummer.
Wovon redest du? Das ergibt keinen Sinn.
Bist du sicher? Sieh noch einmal nach.""",
        """Danke, das ist alles, tschüss.
Ja bitte, das klingt gut.
Sehr freundlich, einen schönen Tag noch.
Die Hauptfigur erinnert mich an meinen Bruder.
Ich mag den Film, weil die Geschichte gut ist.
Ich fand ihn lustig, und die Schauspieler waren gut.
Die Handlung war langsam, ich fand es etwas langweilig.
Ich gehe meistens am Wochenende mit Freunden hin.
Guten Morgen, wie geht es dir?
Wie wird das Wetter morgen?
Erinnere mich daran, heute Abend meine Mutter anzurufen.
Heute war ich arbeiten und habe danach gekocht.""",
    ),
    "it": Prototypes(
        """Non è quello che ho chiesto.
No, è sbagliato, correggilo.
Non mi hai capito, intendevo l'altro.
Te l'ho già detto, non mi ascolti.
Ho chiesto un'altra cosa, mi hai dato quella sbagliata.
No, usa questo invece di quello.
Perché l'hai fatto? Non lo volevo.
Fai sempre lo stesso errore.
Smettila, fallo come ti ho detto.
Non mi serve, voglio solo il numero.
Di che cosa parli? Non ha senso.
Sei sicuro? Controlla di nuovo.""",
        """Grazie, è tutto, ciao.
Sì, per favore, va benissimo.
Molto gentile, buona giornata.
Il protagonista mi ricorda mio fratello.
Mi piace quel film perché la storia è bella.
L'ho trovato divertente e gli attori erano bravi.
La trama era lenta, mi sono annoiato un po'.
Di solito ci vado con gli amici nel fine settimana.
Buongiorno, come stai?
Che tempo farà domani?
Ricordami di chiamare mia madre stasera.
Oggi sono andato al lavoro e poi ho cucinato.""",
    ),
    "zh": Prototypes(
        """这不是我要的。
不对，错了，请改一下。
你误解了，我说的是另一个。
我已经告诉过你了，你没有听。
我要的是别的，你给错了。
不，用这个，不要用那个。
你为什么这样做？我不想要。
你总是犯同样的错误。
别再这样了，按我说的做。
我不需要这个，只要号码。
你在说什么？这没有道理。
你确定吗？请再查一次。""",
        """谢谢，就这些，再见。
好的，听起来不错。
你真好，祝你愉快。
主角让我想起我的哥哥。
我喜欢这部电影，故事很好。
我觉得很有趣，演员也很好。
情节很慢，有点无聊。
我周末常和朋友去那里。
早上好，你好吗？
明天天气怎么样？
今晚提醒我给妈妈打电话。
今天我去上班，然后做了晚饭。""",
    ),
    "ja": Prototypes(
        """それは頼んだものではありません。
いいえ、間違っています。直してください。
誤解しています。別のもののことです。
もう言いました。聞いていませんね。
別のものを頼んだのに、違うものが来ました。
いいえ、それではなくこれを使って。
なぜそうしたのですか。望んでいません。
いつも同じ間違いをしますね。
それはやめて、言った通りにして。
それは要りません。番号だけでいいです。
何の話ですか。意味が分かりません。
本当ですか。もう一度確認してください。""",
        """ありがとう、以上です。さようなら。
はい、お願いします。いいですね。
ご親切に、良い一日を。
主人公は兄に似ています。
話が良いので、その映画が好きです。
面白くて、俳優も良かったです。
展開が遅くて、少し退屈でした。
週末はたいてい友達と行きます。
おはようございます、お元気ですか。
明日の天気はどうですか。
今晩母に電話するよう知らせて。
今日は仕事に行って、夕食を作りました。""",
    ),
}
