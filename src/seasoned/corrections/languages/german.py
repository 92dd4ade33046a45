"""How German speakers correct an assistant (du, Sie), and what only looks like it."""

from seasoned.corrections.languages.table import PhraseTable

CLASSES = {
    "AND": "und aber weil denn also kannst können könntest könnten wieso warum was wie",
    "APART": "nicht ist sind war waren wenn weil dass daß ich du er wir sie es ja ok hast habe hat",
    "NO": "nein ne nee nö naa nope neee neeein nöö nah",
    "DAS": "das dies dieses diese dieser es so da det dat",
    "BE": "ist war sind waren wäre klingt bleibt scheint is bin",
    "NICHT": "nicht net ned nich nit keineswegs",
    "A": "ein eine einen einem der die das den dem des mein meine meinen dein deine deinen ihr ihre kein"
    " keine keinen keinem diese dieser dieses",
    "WRONG": "veraltet veraltete überholt falsch falsche falscher falsches falschen fehlerhaft inkorrekt verkehrt unrichtig unwahr"
    " gelogen erfunden quatsch unsinn blödsinn schwachsinn käse humbug bullshit mist",
    "RIGHT": "richtig richtige richtigen richtiger korrekt korrekte wahr so genau zutreffend stimmig",
    "DU": "du sie ihr dir dich ihnen euch",
    "HAST": "hast haben habt haste",
    "MISTAKE": "fehler irrtum missverständnis verwechslung tippfehler denkfehler rechenfehler patzer bug",
    "ANSWER": "antwort antworten ergebnis ergebnisse übersetzung berechnung rechnung angabe angaben"
    " information lösung befehl code zusammenfassung erklärung formel ausgabe auskunft",
    "THING": "ANSWER datei sache name datum uhrzeit nummer ort person weise option ordner branch seite"
    " adresse sprache format funktion version link wort frage lied spalte zeile tabelle knopf",
    "SAID": "gesagt gemeint gewollt verlangt gefragt gebeten geschrieben bestellt erwähnt gewünscht"
    " behauptet angefordert gesucht erwartet",
    "WANTED": "wollte will meinte meine sagte fragte brauche brauchte suche suchte bat möchte verlangte"
    " schrieb",
    "SAY": "sagt sagte sagen sagten meint meinte meinen meinten behauptet behaupten behauptete glaubt"
    " glauben glaubte denkt denken dachte findet finden fand schreibt schrieb gesagt erzählt erzählte"
    " gemeint",
    "OTHERS": "er wir lehrer lehrerin chef chefin freund freundin kollege kollegin mutter vater mama papa"
    " bruder schwester frau mann kunde kundin leute jemand alle niemand anwalt arzt ärztin sohn"
    " tochter onkel nutzer benutzer autor nachbar team professor professorin prof figur man",
    "THINGS": "doku dokumentation handbuch compiler linter test tests konsole log terminal wikipedia seite"
    " buch rechner",
    "USE": "nimm nehmen benutze benutz benutzen verwende verwenden nutze nutzen nutz mach machen mache"
    " schreib schreibe schreiben nenn nenne nennen versuch versuche probier wähle wählen sag sage"
    " sagen antworte antworten übersetze übersetz übersetzen gib geben ändere ändern zeig zeige"
    " zeigen öffne öffnen schick schicke schicken lass lassen führ führe such suche buche buchen"
    " setz setze setzen formatiere füge ersetz ersetze behalte ruf rufe stell stelle stellen leg"
    " lösche sprich",
    "DONE": "gemacht verstanden übersetzt geschrieben gelesen gerechnet berechnet interpretiert benutzt"
    " verwendet gezählt eingetragen umgesetzt angegeben formatiert beantwortet verwechselt gehört"
    " gewählt genommen genannt gesetzt gedeutet aufgefasst erwischt",
    "UNDERSTOOD": "verstanden zugehört gelesen kapiert begriffen beachtet beantwortet gehört gecheckt",
    "BEHAVE": "USE red lösch erfinde erfinden ändere änder rate raten wiederhole wiederholen entschuldige"
    " entschuldigen erkläre erklär fass fasse ignoriere ignorier rühr fang frag frage lüg duze siez"
    " sieze duz rede tu tue unterbrich spekulier committe pushe benenne überschreib überschreibe"
    " füg erstelle erstell entferne behaupte verändere kürze starte",
    "AGAIN": "wieder nochmal nochmals erneut mehr nie niemals",
    "FINE": "gut ok okay alles passt perfekt prima super genug nötig richtig klar super bestens schon"
    " danke recht fein",
    "ORDINAL": "zweite dritte vierte fünfte zigste letzte zehnte zweiten dritten letzten",
    "SWEAR": "scheiße scheisse mist verdammt mann fuck kacke",
    "STAT": "statt anstatt anstelle",
}

SPOKEN = {
    "stimmt's": "stimmt es",
    "hab habs hab's": "habe",
    "hats hat's": "hat es",
    "ists ist's": "ist es",
    "gehts geht's": "geht es",
    "machs mach's": "mach es",
    "nix": "nichts",
    "wars war's": "war es",
    "willste": "willst du",
    "kannste": "kannst du",
    "biste": "bist du",
    "meinste": "meinst du",
    "dass": "dass",
    "d'accord": "ok",
    "gabs": "gab es",
    "nen n": "einen",
    "": "eine",
    "isses": "ist es",
    "sie's": "sie es",
}

FILLERS = """sehr total komplett offensichtlich absolut ähm hm hmm naja
ach oh ehrlich bitte sogar
wörtlich ziemlich definitiv echt irgendwie mensch alter digga lol haha hey hallo hihi
eh offenbar schlicht schlichtweg
doch eben eigentlich einfach ganz gar leider völlig auch"""

COMMON = """das ist ich du sie es ein eine der die den dem und zu in mit von auf für so was wie hast
habe haben war sind wir er mir mich dir dich bei aus an als auch noch nur schon im am zum
wenn aber oder bitte mehr dann da hier man sehr jeder jede zwei hallo danke gut guten tag
kann kannst können etwas nichts alles alle machen sagen mag will willst möchte brauche diese
dieser dieses jetzt danach vorher seit bis ohne während wer wo welche jahre mal dinge leute
leben haus zeit ihm ihr ihnen uns euch wurde werden wird bin bist seid sein hatte gehen gehe
geht sehen geben weiß wissen glaube setzen benutzen schreiben löschen ändern code datei antwort
sprache wort morgen heute gestern besser anderer andere drei gleich nach über unter vor durch
gegen um ob dass weil denn immer nie wieder weniger einen einem einer eines des sich selbst
meine mein dein deine ihre seine unser waren"""

PHRASES = """
wrong .93
    DAS (BE) (immer noch|noch immer|alles|wieder)? WRONG
    DAS BE NICHT RIGHT
    (^|DAS|NO ,?|aber|und|_) stimmt (so|immer noch)? (DAS)? NICHT !(nur)
    DAS (so)? (NICHT)? (WRONG|RIGHT) (ist|war) $
    (du|sie) (liegst|liegen|liegt) (da|hier|damit)? (falsch|daneben|verkehrt)
    (da)? (liegst|liegen) (du|sie) (da|hier)? (falsch|daneben)
    (du|sie)? (irrst|irren|täuschst|täuschen|vertust|irrt) (du|sie)? (dich|sich|euch)
    (du|sie) (HAST) (dich|sich) (da)? (geirrt|vertan|verrechnet|verlesen|verschrieben|getäuscht|vertippt|verzählt|verhört)
    (HAST|hast) (du|sie)? (dich|sich)? (da)? (vertan|geirrt|verrechnet|getäuscht)
    (du|sie|da) (HAST|hast) (du|sie)? _{0,2} MISTAKE (gemacht|drin|eingebaut|begangen)
    (du|sie) (HAST) _{0,4} (falsch|verkehrt) (DONE)?
    (du|sie) (machst|machen|verstehst|liest|schreibst) _{0,3} (falsch|verkehrt)
    (deine|ihre|diese|die|dein) _? ANSWER BE (NICHT)? (WRONG|RIGHT)
    (falsche|falscher|falsches) ANSWER
    (du|sie) (halluzinierst|halluzinieren|lügst|fantasierst|spinnst|verwechselst|verwechseln)
    (du|sie) (HAST) _{0,4} (ausgedacht|erfunden|verwechselt|vertauscht|verbockt|vermasselt|versaut|halluziniert)
    (das|da) (HAST|hast) (du|sie)? (dir|sich)? _{0,2} (ausgedacht|erfunden|verbockt|verwechselt)
    (du|sie) (erfindest|erfinden) (das|etwas|dinge|sachen|was)
    (da|hier|es|in|das) (ist|sind|gibt) _{0,4} MISTAKE (in|drin|enthalten|unterlaufen)
    in (deiner|ihrer|der|deinem|ihrem) ANSWER (ist|sind|steckt) _{0,2} MISTAKE
    (da|das) (muss|müssen) (ich)? (dir|ihnen)? widersprechen
    (das|mich|es|da) (haben|hast) (sie|du) (mich|da|das)? (NICHT|falsch) (richtig)? (UNDERSTOOD|DONE|verstanden)
wrong .9
    (deine|dein|ihre|diese|dieser|dieses|deinen) _{1,2} (BE|sind) (NICHT)? (WRONG|RIGHT)
    (deine|dein|ihre|diese|das|die|der) _{1,2} stimmt (so|immer noch)? NICHT
    (du|sie) HAST _{0,3} (falschen|falsche|falsches|verkehrten|falscher) _
    (du|sie) HAST (dich|sich) _{1,4} (geirrt|vertan|verrechnet|verlesen|getäuscht)
    (du|sie) HAST _{0,2} (andere|anderen|anderes|falsche) _ (beantwortet|geantwortet|genommen)
    so (schreibt|sagt|macht|geht|heißt|nennt|funktioniert|verwendet) (man|das|es) (das|es)? (so)? NICHT
    (das|es) (schreibt|sagt|macht) man (so)? (NICHT|anders)
    aber DAS BE NICHT (wahr|richtig|so|korrekt)
    DAS BE NICHT (wahr|die wahrheit)
    (das)? brauche ich (so)? NICHT
    (das|die|den|so|diese|diesen|dieses) _{0,2} (gibt|existiert|existieren) (es)? NICHT
    (die|das|den|der) HAST (du|sie) (dir|sich)? _{0,2} (erfunden|ausgedacht)
    (das|es|genau)? (ist)? (genau)? (andersrum|andersherum|umgekehrt) $
    (du|sie) HAST _{0,3} (durcheinandergebracht|verdreht|vertauscht|verwechselt)
    DAS BE (der|die|das|den|ein|eine) (falsche|falscher|falsches|falschen|verkehrte) _
    so (schreibt|heißt|spricht|nennt) (man|sich)? (mein|meinen|meine|das|den) _{0,2} NICHT
wrong .86
    ^ (NO ,?)? (WRONG) (, |$)
    ^ (NO ,?)? (so)? NICHT (so|das|die|der|diese|dieser|richtig|korrekt) $
    NO ,? (das|so|die|der) (BE)? NICHT
    (NO ,)? (so) NICHT $
    (immer noch|noch immer|wieder|weiterhin) (WRONG|NICHT (RIGHT|korrekt))
    DAS (BE)? NICHT (möglich|der fall|wahr)
    ^ (NICHT (mal|einmal)? (annähernd|ansatzweise)|weit daneben|daneben) $
wrong .85 asked
    (warum|wieso) (sagst|sagen|behauptest) (du|sie) ,? (dass)? (du|sie)? _{0,3} NICHT (kannst|können)
wrong .75
    ^ BE WRONG $
    (die|der|das) (THING|ANSWER) (BE) (WRONG|NICHT RIGHT)
    DAS (funktioniert|geht|klappt|läuft|hilft|passt) (so|immer noch|noch immer)? NICHT
    (funktioniert|geht|klappt|läuft|kompiliert) (immer noch|noch immer|weiterhin|noch) NICHT
    (korrigier|korrigiere|korrigieren|berichtige|reparier|repariere) (das|es|deine|ihre|sie das)
    (mach|machen|nimm) _{0,2} (das|es|alles) (wieder)? (rückgängig|zurück)
    (bin|sehe) (ich)? (da|das)? (NICHT|anders) (einverstanden|$|der meinung)
    (glaube|denke) (ich)? (NICHT) ,? (dass|das) _{0,3} (RIGHT|stimmt)
    (glaube|denke|finde|fürchte) ,? (dass|das) _{0,3} (NICHT (RIGHT|stimmt)|WRONG)
    (du|sie) (hättest|hätten) (NICHT|das|erst|vorher|lieber|besser|mich) _
    (hättest|hätten) (du|sie) (NICHT|erst|vorher|lieber|besser|mich|das) _
    (du|sie) (solltest|sollten) (das|NICHT|lieber|erst) _
    ^ (die|der|das|den|im)? (falsche|falscher|falsches|falschen) THING $
    das ist (eine|die|der|das|ein)? (alte|altes|ältere|vorherige) _
    (steht|stehen|stand|ist|kommt) (so)? NICHT (im|in der|in dem|in meinem|auf der|in meiner) _
    (du|sie) HAST (gesagt|geschrieben|behauptet) ,? _{1,10} ,? aber _
    ^ das (ist|war) NICHT (meine|mein|meinen) !(ding|problem|fall) _
    (glaub|glaube|denke|denk|fürchte|meine) ,? (dass)? (das|der|die|den|dein|deine) _{1,2} (ist|sind)? WRONG
wrong .72
    (du|sie) (solltest|sollten|hättest|musstest) _{0,2} (zuerst|erst|vorher|zunächst) _
    (du|sie) (solltest|sollten) _{1,6} (INF|lassen|fragen|machen) $
wrong .62 asked
    (warum|wieso) (antwortest|schreibst|sprichst|redest|benutzt|verwendest|duzt|siezt|antworten|schreiben|nimmst|löschst|änderst) (du|sie) _
    woher (hast|haben) (du|sie) (das|die|den|diese)
wrong .62 objects
    (der|die|das|dein|deine|dieser|diese|dieses|ihr|ihre) _{1,2} (funktioniert|kompiliert|läuft|geht|öffnet|klappt|lädt) (immer noch|sich)? NICHT
wrong .6 asked
    (warum|wieso) (HAST|hast) (du|sie) _{0,4} (gelöscht|geändert|entfernt|ignoriert|benutzt|verwendet|überschrieben|angefasst|gemacht)
    wer hat (dir|ihnen) (gesagt|erlaubt)
    wo habe ich (das|gesagt|jemals)
wrong .5
    START SWEAR SWEAR? END
replacement .93
    ich (sagte|meinte|wollte|wolte|schrieb|brauche|verlangte|fragte|bat|meine) (nach|um|aber)? <wanted> ,? (und)? (NICHT|statt|anstatt|kein|keine|keinen|keins) (nach|um)? <unwanted> $
    ich (habe|hab|hatte) (um|nach|dich um|sie um)? <wanted> (SAID|gebeten) ,? (und)? (NICHT|kein|keine|keinen) (um|nach)? <unwanted> $
    USE (sie)? <wanted> ,? (und)? (NICHT|nie|niemals) <unwanted> $
    USE (sie)? <wanted> (STAT) (von)? <unwanted> $
    USE (sie)? (STAT) <unwanted> (lieber|besser)? <wanted> $
    (STAT) <unwanted> (lieber|besser) <wanted> $
    (NICHT|kein|keine|keinen) <unwanted> ,? sondern <wanted> $
    (es|das) (muss|müsste|sollte|soll) <wanted> (heißen|sein|lauten|stehen)? ,? (und)? NICHT <unwanted> $
    (das|es|sie|er) (heißt|lautet|ist) <wanted> ,? (und)? NICHT <unwanted> $
    mit <wanted> ,? (und)? NICHT mit <unwanted> $
    ich (habe|hab) NICHT (nach|um|von)? <unwanted> (SAID|gebeten) ,? sondern (nach|um|von)? <wanted> $
    (USE|BEHAVE) (keine|kein|keinen|NICHT) <unwanted> ,? (und|sondern)? USE <wanted> $
replacement .9
    ich (wollte|sagte|brauchte|bat um) <wanted> (und|aber|,) (und|aber)? (du|sie) (HAST) (mir)? <unwanted> (gegeben|geschickt|gemacht|geschrieben|geliefert) $
    ich (habe|hab|hatte) (um|nach)? <wanted> (gebeten|gefragt|gewollt|verlangt) (und|aber|,) (und|aber)? (du|sie) (HAST) (mir)? <unwanted> (gegeben|geschickt|gemacht|geschrieben|geliefert) $
    (es|das|die|der) _{0,2} (muss|müssen|müsste|müssten|sollte|sollten|soll|sollen) <wanted> (sein|heißen|lauten|stehen) ,? (und)? NICHT <unwanted> $
    ich (heiße|heiß) <wanted> ,? (und)? NICHT <unwanted> $
    (mein|meine) _{1,2} (ist|lautet) <wanted> ,? (und)? NICHT <unwanted> $
replacement .8
    ^ NO ,? (lieber|besser)? USE (lieber|besser)? <wanted> $
    NO ,? (lieber|besser) <wanted> $
    NO ,? ich (sagte|meinte|wollte|will|brauche|habe) <wanted> $
    NO ,? (das|es) (muss|sollte|soll|müsste) <wanted> (sein|heißen|lauten) $
    (die|das|der) (richtige|korrekte|richtiger) (ANSWER|THING)? (ist|lautet|wäre|heißt) <wanted> $
    (das|es) (muss|müsste|sollte) <wanted> (heißen|lauten) $
    (du|sie) HAST <unwanted> (STAT) <wanted> (DONE|_) $
    (es|das|sie) ist NICHT <unwanted> ,? (es|das|sie) ist <wanted> $
replacement .75
    NO ,? (NO ,?)? (der|die|das|den|dem|im) (andere|anderen|anderes|anderer|erste|ersten|zweite|zweiten|letzte|letzten|vorherige) _?
    ich (bin|heiße) NICHT !(sicher|so|der meinung) <unwanted> ,? (sondern|ich (bin|heiße)) <wanted> END
replacement .7
    (die|der|das|A) _{1,3} (ist|heißt|lautet|war) <wanted> , (und)? NICHT <unwanted> $
    ^ (tatsächlich|in wirklichkeit|in wahrheit|genau genommen) ,? (ist|sind|war) (es|das) <wanted> $
    (in|mit|auf|um|am|für|bis|ab) <wanted> ,? (und)? NICHT (in|mit|auf|um|am|für|bis|ab) <unwanted> $
    ich (will|wollte|brauche|brauchte|möchte|hätte) (es|das|sie|ihn)? (gern|gerne)? <wanted> ,? (und)? (NICHT|keine|keinen|kein) <unwanted> $
    NO ,? ich _ in <wanted> ,? (und)? NICHT in <unwanted> $
replacement .7 answers
    NO ,? (das|es) (ist|sind|war) <wanted> $
replacement .68
    _ (schreibt|spricht) (man|sich) (mit|ohne|_) _? $
    ^ (das|es) (schreibt|heißt|nennt|spricht) (man|sich)? !(NICHT|dass) <wanted> $
replacement .6
    START (NO ,)? NICHT (das|die|der|den)? <unwanted> ; (das|die|der|den)? <wanted> END
replacement .6 objects
    (die|der|das|es) _{0,2} (müsste|sollte|muss) <wanted> (sein|lauten|heißen) $
    START <wanted> (STAT) (von)? <unwanted> END
replacement .58 answers
    START (NO ,)? <wanted> , NICHT <unwanted> END
replacement .45 answers
    ^ <wanted> , NICHT <unwanted> $
misunderstood .93
    DAS (BE) (NICHT) (das)? ,? (das)? was ich (SAID|WANTED|_ (habe|wollte|hatte)|suche)
    (NICHT) (das)? ,? was ich (wollte|meinte|brauche|suche|will|gesagt|gefragt|verlangt|gemeint|brauchte|meine|sagte)
    (das|so|danach|davon|darum|so was|sowas) (habe|hatte|hab) ich (so|dich|sie|dir|ihnen|nie)? (NICHT|nie|niemals) (so)? (SAID|gebeten)
    ich (habe|hab|hatte) (das|dich|sie|davon|so|dir|danach|sowas|ihnen)? (so|nie)? (NICHT|nie|niemals|nichts) (so|danach|davon|darum|nach|um|von)? _{0,3} (SAID|gebeten|geredet|gesprochen)
    (das|so) (war|ist) (so)? (NICHT) (so)? gemeint
    (das|so) (meinte|meine|wollte) ich (so|ja)? (NICHT)
    (du|sie) (HAST) (mich|meine|das|die|da|es|mir|sie|was|nicht|den|meinen|ihn)? _{0,3} (NICHT|falsch|nichts|miss|nie) (richtig|genau)? (UNDERSTOOD|verstanden)
    (HAST) (mich|meine|das|mir) _{0,3} (NICHT|falsch|missverstanden) (richtig|genau)? (UNDERSTOOD)?
    (du|sie) (HAST) _{0,3} missverstanden
    (du|sie) (verstehst|verstehen|hörst|hören|liest|lesen) (mich|mir|nicht|sie|nie) (NICHT|zu|nicht|falsch)?
    (das) (war|ist) NICHT (meine|die) frage
    (beantwortet|beantwortest|beantworten) (das|du|sie)? (NICHT)? (meine|die) frage (NICHT)
    (du|sie) (redest|reden) (an) (mir|vorbei)
misunderstood .88
    (du|sie) HAST (meine|mein|meinen) _{0,2} NICHT (mal|einmal)? (gelesen|beachtet|beantwortet|verstanden)
    (du|sie) (verstehst|verstehen|begreifst) (NICHT|mich NICHT)
    (die|der|das) _ (fehlt|fehlen) , _
    (die|das|den) HAST (du|sie) (weggelassen|vergessen|übersehen|ausgelassen|ignoriert)
misunderstood .85
    (lies|lesen) (sie)? _{0,4} (nochmal|noch einmal|genau|richtig|erneut|genauer)
    (pass|passen) (sie)? (mal|besser)? auf $
misunderstood .8 asked
    (HAST) (du|sie) (überhaupt|NICHT|nicht|meine|mir|das|gelesen) _
    (liest|lesen|hörst|hören|verstehst) (du|sie) (überhaupt|mir|meine|mich) _
    ist das so schwer
misunderstood .75
    du hast (mir|mich|da)? _{1,4} NICHT _{0,3} $
    ^ sie haben (die|das|den|meine|meinen|mein|mir) _{0,3} NICHT _{0,3} $
misunderstood .7
    (du|sie) (HAST) _{0,5} (vergessen|ignoriert|übersehen|ausgelassen|weggelassen|übersprungen|unterschlagen)
    ich (meinte|meine) (damit)? <wanted> $
    ich (rede|spreche|sprach|redete) von <wanted> $
misunderstood .62 objects
    (da|hier|es)? (fehlt|fehlen) (der|die|das|ein|eine|noch|mir) _
    (der|die|das) _{1,2} (fehlt|fehlen) $
misunderstood .6
    ^ da (fehlt|fehlen) _
repeated .92
    ich (habe|hab|hatte) (es|das|ihnen|dir|euch)? (das|es|ihnen|dir)? (schon|bereits|gerade|vorhin|ausdrücklich|mehrfach|zigmal|tausendmal) _{0,4} (SAID|erklärt|gegeben|mitgeteilt|gebeten|geschickt)
    ich (habe|hab|hatte) (dir|ihnen|euch) _{0,4} (gesagt|gebeten|erklärt|geschrieben) (, |$|dass|das|du|sie)
    (das|wie) (habe|hab|hatte) ich (dir|ihnen|euch)? (das)? (schon|bereits|gerade|vorhin|zigmal) _{0,3} (SAID|erklärt)
    (das|es) (habe|hab|hatte) ich (dir|ihnen) _{0,3} (SAID|erklärt)
    wie oft (muss|soll|denn|noch|habe|hab)
    (schon wieder) _
    (das|der)? (gleiche|selbe|derselbe|gleichen|selben|denselben) MISTAKE
    zum (zweiten|dritten|letzten|hundertsten|tausendsten|x-ten|xten|wiederholten|vierten) mal
    (du|sie) (machst|machen|HAST|benutzt|verwendest|löschst|schreibst|änderst) _{0,4} (schon wieder|immer noch|wieder|ständig|dauernd|immer wieder|erneut) _
    (ich)? (muss|möchte) (mich|das) _{0,2} (wiederholen|nochmal sagen|noch einmal sagen)
    ich sage (das|es) (jetzt)? (nochmal|zum|noch einmal|nicht)
repeated .9
    (das|zum|jetzt) (ORDINAL) mal _{0,2} (dass|ich|frage|$|,)
    ich (habe|hab|hatte) (dich|sie|dir) _{0,2} (gewarnt|ermahnt|darauf hingewiesen)
    (habe|hab|hatte) ich (dir|ihnen) (das|es)? (schon|bereits|vorhin|gerade|längst) _{0,3} (gegeben|geschickt|gesagt|genannt|geschrieben|erklärt|gezeigt)
repeated .88 asked
    wie oft (muss|soll|denn|noch|habe|hab)
    (habe|hab|hatte) ich (dir|ihnen|es|das)? (das|nicht|es)? NICHT (schon|gerade|gesagt|_)
    (warum|wieso) (machst|benutzt|verwendest|machen|verwenden|schreibst|tust) (du|sie) (immer|ständig|dauernd|schon|wieder|trotzdem)
    was habe ich (gerade|dir|gesagt|vorhin)
repeated .85
    ^ (NO ,?)? (ich)? (hab|habe|hatte) (ich)? _{0,3} (gesagt|geschrieben|verlangt|bestellt) (NO|_)? $
    ich (hatte) _{1,4} (gesagt|geschrieben|verlangt|bestellt|gemeint) $
    ich (habe|hatte) _{0,2} (ausdrücklich|extra|klar|deutlich|explizit|eindeutig|gerade|grade) _{0,8} (gesagt|gebeten|geschrieben|verlangt)
    ich (habe|hatte) _{0,2} (ausdrücklich|extra|explizit) (gesagt|gebeten)
repeated .85 asked
    (warum|wieso) _{1,3} (du|sie) (dich|sich|mir|das)? (ständig|dauernd|immer|andauernd|schon wieder|immer wieder)
repeated .8
    (du|sie) (nennst|nennen|schreibst|benutzt|verwendest|machst|antwortest) (mich|mir|das|es)? (ständig|dauernd|andauernd|schon wieder) _
repeated .72
    ^ ich (habe|hatte) (dir)? gesagt (ohne|mit|kein|keine|keinen|NICHT|nur|bis|auf|in|NO) _
repeated .68
    wie (bereits|schon|oben|vorhin)? (gesagt|erwähnt|geschrieben|erklärt)
    wie ich (schon|bereits|dir|vorhin)? (gesagt|sagte|erwähnte|schrieb|erwähnt|geschrieben)
    ^ (nochmal|nochmals|noch einmal|ich wiederhole) , _
    ^ (NO ,?)? ich sagte (, |dass|A|mit|in|auf|kein|ohne|_)
instruction .88
    (hör|höre|hören) (sie)? (auf|endlich) (auf)? ,? (mit|damit|zu|dich|ständig|immer|dauernd|_)
    (lass|lassen) (sie)? (das|die|den|es) (sein|bleiben|weg|$|,)
    (lass|lassen) (sie)? &(die|das|den|diese|diesen|dieses) <unwanted> (weg|sein|bleiben)
    (BEHAVE) (sie)? _{0,4} (nie|niemals|nie wieder|nie mehr|nicht mehr|nicht wieder) _?
    (nie|niemals) (wieder)? (BEHAVE|_{1,4} (benutzen|verwenden|löschen|schreiben|machen|ändern|committen|pushen))
    (mach|tu|machen) (sie)? (das|so was|sowas) (NICHT|nie)
    (BEHAVE) (sie)? _{0,3} (immer|stets|grundsätzlich|jedes mal|ausschließlich)
    (immer|stets) _{1,5} (benutzen|verwenden|nutzen|antworten|schreiben|nehmen|prüfen|fragen) $
    (du|sie) (sollst|sollen|darfst|dürfen|musst|müssen|solltest) (das|mich|mir)? (immer|nie|niemals|NICHT|stets|keine|kein)
    (ab|von) (jetzt|sofort|nun|heute|da) (an|ab)? !(an|ab) !( ,? _? (ich|wir|er|sie alle))
    (künftig|zukünftig|in zukunft|fortan) !( ,? _? (ich|wir|er))
    (fürs|für das) nächste mal
    (beim|das|^) (nächsten|nächste|nächstes) mal !( ,? _? (ich|wir|er))
    ich (will|möchte) NICHT ,? (dass|das) (du|sie)
instruction .85
    (merk|merke|merken) (sie)? (dir|sich) ,? (dass|das|ich|_)
    (denk|denke|denken) (sie)? (dran|daran) ,? (dass|das|ich)
    mir wäre lieber
    (BEHAVE) (sie)? (immer|stets|nur noch|grundsätzlich) <wanted> $
    (BEHAVE) (sie)? (nie|niemals|nie wieder|nie mehr) <unwanted> $
    (darum|dich|sie) gebeten ,? (NICHT|keine|kein|keinen) _
    (unterlassen|unterlasse|unterlass) (sie)? _
instruction .8 asked
    (kannst|könntest|können|könnten) (du|sie) (aufhören|das lassen|damit aufhören)
    (kannst|könntest|können|könnten) (du|sie) _{0,4} (STAT) _
    (kannst|könntest|können) (du|sie) _{0,4} (aufhören|unterlassen|sein lassen)
instruction .72
    (^|NO ,|und|aber) (BEHAVE) (sie)? (mir|mich|das|die|den|es)? (NICHT|keine|kein|keinen) _
    keine <unwanted> (mehr) $
    (schluss|genug) mit <unwanted> $
    (vermeide|vermeiden) (sie)? _
    NICHT (benutzen|verwenden|löschen|ändern|anfassen|committen) $
    (frag|frage|fragen) (sie)? (mich|immer|erst|nach)? ,? (bevor|vorher|erst)
    ich (hätte|will|möchte|mag|bevorzuge) (lieber|gern|gerne)? _{0,2} (antworten|erklärungen|sätze|texte|zusammenfassungen|kommentare) $
    (kein|keine|keinen) <unwanted> (verwenden|benutzen|nutzen|schreiben|einbauen|hinzufügen|setzen|machen) $
instruction .7
    (siez|sieze|siezen|duz|duze|duzen) (sie)? mich
instruction .66
    (komm|kommen) (sie)? (zum punkt|zur sache|auf den punkt)
    (BEHAVE) NICHT so (mit mir|_)
instruction .6 objects
    START ich (will|möchte|mag) (keine|keinen|kein) <unwanted> END
    START (weniger|mehr|mit weniger|mit mehr) <wanted> END
    ^ USE (sie)? (weniger|mehr) _
dissatisfied .72
    (das|dies|es|^) (ergibt|macht|hat) (keinen|überhaupt keinen|null|NICHT viel) sinn
    (das|dies) (hilft|nützt|bringt) (mir|uns)? (nicht|nichts|NICHT|nichts|überhaupt)
    (du|sie) (bist|sind) (nutzlos|unfähig|dumm|keine hilfe|blöd)
    (das|dies) ist (nutzlos|keine hilfe|unbrauchbar|sinnlos)
    (du|sie) (hilfst|helfen) (mir)? NICHT
dissatisfied .68 asked
    (wovon|was) (redest|reden|sprichst|laberst|faselst) (du|sie)
    was (soll|zum|zur) (das|der|teufel|hölle|quatsch|scheiß)
dissatisfied .64
    (START|das ist|dies ist|ist) (viel)? zu (lang|kurz|förmlich|formell|kompliziert|vage|technisch|allgemein|ausführlich|umständlich) $
dissatisfied .55 asked
    ^ (was|wie) (meinst|meinen) (du|sie) (damit|das) $
    START was (meinst|meinen) (du|sie) END
    ^ hä END
dissatisfied .42 asked
    (bist|sind) (du|sie) (dir|sich)? (da)? (sicher)
    (versuch|versuche|prüf|prüfe|such|schau|probier) (es|das)? (nochmal|noch einmal|erneut)
dissatisfied .4
    ^ (vergiss|vergessen) (sie)? (es|das) END
    ^ (egal|lass gut sein|schon gut) END
amended .35
    (moment|warte|sorry|entschuldigung|ups|hoppla|äh|pardon|halt) ,? (warte|moment|nein)? ,? ich (meinte|meine|wollte)
    (ich)? (habe|hab) (ich)? mich (da)? (geirrt|vertan|verschrieben|vertippt|verlesen|falsch ausgedrückt|versprochen)
    (mein) (fehler|irrtum|versehen|patzer)
    (ich)? (habe|hab) (mich)? (um|es mir) (entschieden|anders überlegt)
    (habe|hab|lag) ich (einen fehler|falsch)
    ich (lag|war) (falsch|im irrtum)
declined .4
    START NO END
declined .35
    START NO ,
declined .25
    START NO (ich|die|das|der|A)
"""

GUARDS = """
before 0
    OTHERS _{0,3} (hat|haben|hatte|mir)? _{0,2} SAY
    (laut|angeblich|gelesen|gehört|heißt es|zufolge)
    (man|mir|uns) (sagte|wurde|hat) _{0,3} (gesagt|erzählt|mitgeteilt)?
    (wenn|falls|ob|sofern|angenommen|sobald)
    (stell dir|gesetzt den|als ob|vielleicht|womöglich|möglicherweise)
    (übersetze|übersetz|übersetzen|satz|wort|lied|gedicht|titel|geschichte|dialog|figur|bedeutet|heißt auf|sag ihm|sag ihr|schick ihm|twittere|erinner)
    ich (weiß|wusste|dachte|befürchtete) ,? (dass|das|schon)
    ich (bin mir nicht sicher|weiß nicht|sage nicht|behaupte nicht)
    (danke)
    (mir|uns) (gesagt|erzählt|geraten)
    (mail|email|e-mail|brief|nachricht) ,? (dass|das|in der)
    (schreib|schreibe|schreiben|sag|sage|sagen) (sie)? _{0,4} ,? dass
before .75
    THINGS _{0,2} SAY
before 0 instruction replacement
    (ich|wir|er|man|leute|niemand|OTHERS) _{0,2} $
    (sie|er|OTHERS) (hat|haben|hatte) (mir|uns|ihm|ihr)? (gesagt|erzählt|geraten|geschrieben)
before 0 repeated
    (gestern|vorgestern|neulich|immer)
before 0 wrong misunderstood
    (dachte|glaubte|meinte) ich
    (früher|damals)
clause 0 question
    ^ (warum|wieso|weshalb|welche|welcher|welches|wer|wo|was (ist|war)|was genau)
    (sag|sagen|erklär|erkläre|erklären|prüf|prüfe|prüfen|bestätige|wissen|verstehen|zeig|zeige|schau|guck|check|sehen) _{0,4} (ob|warum|was|wo|welche|wie|wieso)
after 0
    ^ , _{0,2} OTHERS (hat|sagt|meint|sagte|meinte)
    ^ , (sagt|meint|laut|sagte|meinte) _
    ^ (,)? oder (nicht|bin|ist|etwa|$)
sentence 0
    (NICHT|nichts|kein|keine|keinen|nie) (BE|zu|so|mal|viel)? (daran|dagegen|so|unbedingt)? (WRONG|MISTAKE|schlecht|schlimm)
    (nichts|nix) _{0,2} (WRONG|auszusetzen)
    (könnte|kann|vielleicht|evtl) _{0,3} (WRONG) (sein)?
    ich (liege|lag|bin|war) (da|damit|hier)? _{0,2} (WRONG|daneben|im irrtum)
    ich (irre|täusche|irrte) mich
    (korrigier|korrigiere|korrigieren|sag) (sie)? (mich|mir|bescheid) (,)? (wenn|falls)
    (du|sie) (liegst|liegen|irrst|irren) (dich|sich|da)? (NICHT)
    stimmt NICHT (oder|wahr)
    ; NICHT wahr $
sentence 0 declined wrong replacement repeated
    (kein|keine|NO) ,? (problem|ursache|sorge|eile|thema|ding|stress|frage|ahnung|panik|zweifel)
    NO ,? (danke|alles|passt|schon gut|das (ist|war|passt|reicht|wars|war es)? (gut|ok|okay|alles|schon|genug|es|perfekt|in ordnung|super|so)|ist (gut|ok|okay|schon|alles|in ordnung)|das reicht|das passt|nicht nötig|noch nicht|jetzt nicht|macht nichts|mach dir|machen sie|das wars|ich glaube|nicht wirklich|nichts|im moment)
    macht nichts
    NO ,? (mach weiter|weiter|machen sie weiter|fahr fort|nur zu|los)
sentence 0 repeated wrong misunderstood
    ich (habe|hatte) _{0,1} (meiner|meinem|meinen|ihr|ihm|ihnen allen|OTHERS) _{0,4} (gesagt|erzählt|geschrieben)
sentence 0 replacement
    START (er|sie|OTHERS) (hat|haben|hatte|SAY)
message 0 wrong misunderstood declined dissatisfied
    (du|sie) (hast|haben|hattest|hatten) (vollkommen)? (recht|rechte) !aber
    (hast|haben) (du|sie) (recht)
    ^ (das)? stimmt (so)? ,
"""

GERMAN = PhraseTable(
    "de",
    CLASSES,
    PHRASES,
    GUARDS,
    spoken=SPOKEN,
    fillers=FILLERS,
    common=COMMON,
    endings={"INF": "en eln ern"},
)
