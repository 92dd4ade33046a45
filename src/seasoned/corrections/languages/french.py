"""How French speakers correct an assistant (tu, vous), and what only looks like it."""

from seasoned.corrections.languages.table import PhraseTable

CLASSES = {
    "AND": "et mais car donc parce peux pouvez pourrais pourriez tu vous est-ce qu'est",
    "APART": "ne n' est sont était si quand parce que qu' je j' il elle on tu vous oui ok c' ce",
    "NO": "non nan nope nn naan nonon",
    "CA": "ça c' ce cela ceci celui celle ci là ceux",
    "BE": "est était sont étaient es êtes sera semble paraît parait reste serait",
    "PAS": "pas point plus guère",
    "A": "un une le la l' les des du mon ma mes ton ta tes votre vos son sa notre autre",
    "WRONG": "obsolète obsolètes dépassé dépassée périmé périmée faux fausse fausses erroné erronée erronés incorrect incorrecte incorrects inexact inexacte"
    " mensonge absurde bidon",
    "BAD": "mauvais mauvaise mauvaises mauvaiss",
    "RIGHT": "juste correct correcte corrects vrai vraie exact exacte bon bonne bien bons bonnes ça"
    " cela",
    "YOU": "tu vous t' toi",
    "HAVE": "as avez a ai",
    "MISTAKE": "erreur erreurs faute fautes bourde coquille méprise confusion bug",
    "ERR": "trompes trompez trompe trompé trompée trompés gourres gourré goures plantes plantez planté"
    " plantée égares mélanges mélangez confonds confondez tromper",
    "ANSWER": "réponse réponses résultat résultats traduction calcul donnée données information"
    " informations solution commande code résumé explication formule sortie",
    "THING": "ANSWER fichier truc chose nom date heure numéro endroit personne manière façon option dossier"
    " branche page adresse langue format fonction version lien mot question chanson colonne",
    "ASKED": "demandé demandais demande dit disais voulais veux voulu cherchais cherche besoin attendais"
    " parlais parle pensais souhaitais souhaite écrit réclamé attends",
    "SAY": "dit disent disait dise pense pensent croit croient affirme affirment prétend prétendent assure"
    " soutient insiste raconte écrit écrivait trouve trouvent expliqué",
    "OTHERS": "il elle ils elles on prof professeur professeure maître maîtresse chef cheffe patron"
    " patronne ami amie copain copine collègue mère père maman papa frère soeur sœur femme mari"
    " client cliente gens quelqu'un tous personne avocat médecin docteur fils fille oncle cousin"
    " utilisateur utilisateurs auteur voisin équipe personnage enseignant",
    "THINGS": "doc documentation manuel compilateur linter test tests console log terminal wikipédia"
    " wikipedia site livre calculatrice",
    "USE": "utilise utilisez utiliser emploie employez mets mettez mettre fais faites faire écris écrivez"
    " écrire appelle appelez essaie essayez choisis choisissez dis dites réponds répondez répondre"
    " traduis traduisez renvoie renvoyez change changez montre montrez ouvre ouvrez envoie envoyez"
    " laisse laissez donne donnez exécute lance lancez cherche cherchez réserve réservez prends"
    " prenez formate ajoute ajoutez enlève enlevez garde gardez passe passez remplace sers servez"
    " tutoie vouvoie tutoyez vouvoyez parle parlez",
    "STOP": "arrête arrêtez arrete stop cesse cessez arrêter stoppe",
    "LISTEN": "compris comprends comprenez écoutes écoutez écouté lu lis lisez répondu réponds répondez"
    " saisi pigé entendu",
    "TOLD": "donné envoyé fourni dit demandé expliqué mentionné répété précisé signalé écrit prévenu indiqué rappelé",
    "FINE": "bon bien parfait tout correct super ok nickel excellent suffisant nécessaire génial va"
    " grave",
    "ORDINAL": "deuxième troisième quatrième cinquième énième dernière centième seconde",
    "SWEAR": "merde putain bordel zut mince punaise",
    "BEHAVE": "USE invente inventez supprime supprimez efface effacez touche touchez modifie modifiez"
    " résume résumez répète répétez suppose supposez explique expliquez inclus incluez mélange"
    " ignore ignorez demande demandez commence commencez termine coupe excuse excusez mens mentez"
    " propose proposez suggère crée créez saute sautez recommence recommencez commite pousse"
    " renomme écrase devine devinez sois soyez refais refaites",
}

SPOKEN = {
    "cest c": "c' est",
    "cetait": "c' était",
    "nest": "n' est",
    "jai g": "j' ai",
    "javais": "j' avais",
    "tas t'as": "tu as",
    "t'es": "tu es",
    "ca": "ça",
    "pk pq pourkoi": "pourquoi",
    "pcq pck": "parce que",
    "kelkun": "quelqu'un",
    "ds": "dans",
    "pr": "pour",
    "tjs tjr tjrs": "toujours",
    "mtn mnt": "maintenant",
    "qd": "quand",
    "t": "tu es",
    "chui": "je suis",
    "chuis": "je suis",
    "jveux": "je veux",
    "jvoulais": "je voulais",
    "jte": "je te",
    "jtai": "je t' ai",
    "lai": "l' ai",
    "las": "l' as",
    "bcp": "beaucoup",
    "aujourd'hui": "aujourdhui",
    "peut-être peutetre": "peutêtre",
    "celui-là celui-ci celle-là celle-ci": "celui là",
}

FILLERS = """très simplement clairement évidemment absolument euh heu
hum hmm ah oh ben bah bref franchement honnêtement genre carrément seulement
littéralement hein voyons hé salut stp svp lol mdr pfff rho tiens
complètement totalement"""

COMMON = """ne n est c ce ça ca le la les l de d du des un une et à a en que qu je j tu il elle on nous
vous me te se m t s pour dans sur avec mais ou si au mon ma ton ta son sa qui plus ai as
fait être très quand où aussi chaque deux bonjour merci bon bonne jour peux peut pouvez pourrais
quelque chose rien tout tous toute faire dire aime veux veut voulez besoin cette ces cet ici
maintenant après avant depuis jusqu sans pendant quoi comment quel quelle ans fois choses gens
vie maison temps leur leurs eux elles était étaient été suis es sommes êtes avoir pouvoir aller
vais va allons voir donner sais sait savoir crois mettre utiliser écrire supprimer changer code
fichier réponse langue mot demain hier mieux autre trois aux ses mes tes nos vos lui y dont
parce donc alors encore toujours jamais moins déjà ont avait fais font quelqu puis comme entre
chez contre même"""

PHRASES = """
wrong .93
    (CA) (BE) (A|tout|toujours|encore)? WRONG
    (CA) (n'|ne)? (BE) PAS (du tout|tout|tout à fait)? A? RIGHT !(le|la|une|un)
    (CA) (n'|ne)? (BE) PAS (du tout|tout|exactement)? (ça|cela|celui|celle|le|la|bon|bonne)
    (tu te|vous vous|te|vous) ERR
    (tu|vous) (tu|t'|vous)? (es|êtes) ERR
    t' es ERR
    (tu|vous) (HAVE) (tort|faux|tout faux)
    (tu)? HAVE (fait|commis) (A|plusieurs|encore) MISTAKE
    (tu|vous) (HAVE) (mal|tout) (fait|compris|lu|traduit|écrit|calculé|interprété|copié|faux|cassé|mélangé)
    (tu|vous) (l'|les|la|le)? (HAVE)? (tout)? (inventes|inventez|inventé|inventée|inventés|inventées|hallucines|hallucinez|halluciné|mens|mentez|délires)
    (ta|votre|cette|la) _? ANSWER (n'|ne)? BE (PAS)? (WRONG|RIGHT)
    BAD ANSWER
    (il)? y a (A|plusieurs|des) MISTAKE (dans|à|sur) (ta|ton|votre|ce|cette|tes|la|le)
    n'importe quoi
    ça ne? va pas du tout
    (tu|vous) HAVE (confondu|mélangé|interverti|inversé) _
wrong .9
    (ta|ton|votre|tes|vos|cette|cet) _{1,2} (n'|ne)? BE (PAS)? (WRONG|RIGHT)
    (tu|vous) HAVE (supprimé|ouvert|utilisé|choisi|changé|mis|envoyé|édité|lu|pris|réservé|modifié) (le|la|les|un|une) BAD _
    (tu|vous) HAVE répondu à (une|la|l') autre _
    (ça|cela) (ne)? s' (écrit|appelle|utilise|prononce|fait|dit) pas (comme)?
    (on)? (ne|n')? (écrit|dit|fait) pas (comme)? (ça|cela)
    (tu|vous) (confonds|confondez|mélanges|mélangez) _
    (tu|vous) (fais|faites) (erreur|fausse)
    (mais)? (non|pas) (pas)? du tout END
    (CA|BE) (toujours|encore)? pas (bon|ça|correct)
    pas de (ça|cela) (que|dont)
    (ce|cette|ça|cela|ces) _{0,2} (n')? (existe|existent) pas
    (c'|ce) est (l'inverse|l' inverse|le contraire|l' opposé)
    (tu|vous) HAVE (mis|pris|utilisé|donné|écrit|choisi) (le|la|les|un|une) BAD
    (c'|ce|cela|ça) est (le|la|un|une) BAD _
    (ta|ton|votre|cette|ce) _{1,2} (n'|ne)? est (pas|plus) à jour
    (mon|ma|mes) _{1,2} (ne)? s' (écrit|appelle|prononce) pas
wrong .86
    ^ (NO ,?)? (WRONG) $
    ^ (NO ,?)? pas (ça|comme ça|celui|celle|cela|comme|correct|bon|vrai|juste|exact) (là)? (END|$)
    NO ,? (pas|c' est) (ça|comme|celui|pas)
    (BE) (toujours|encore) (WRONG|PAS)
    (CA) (n')? est PAS (possible|le cas|comme ça)
    (CA) (n'|ne)? BE (toujours|encore) (pas)? (WRONG|RIGHT)
    à côté de la plaque
    (rien à voir|pas du tout ça) $
wrong .85 asked
    pourquoi (tu|vous) (dis|dites) que (tu|vous) (ne)? (peux|pouvez) pas
wrong .75
    ^ BAD THING $
    (mauvais|mauvaise) (THING) $
    (le|la|les|l') (THING|ANSWER) (n'|ne)? BE (WRONG|pas RIGHT)
    (ça|cela) (ne)? (marche|fonctionne|marchait|compile|passe|aide) (toujours|encore)? (pas|plus)
    (toujours|encore) (pas|faux|cassé|planté)
    (corrige|corrigez|répare|rectifie|rectifiez) (ça|cela|ta|ton|votre|moi ça|$)
    (annule|annulez|défais|reviens|remets) (ça|cela|tout|le|la|en arrière|comme|tes|A)
    (je)? (ne)? suis pas d' accord
    je (ne)? (crois|pense) pas que (ça|ce|cela|c') _? (soit|est) (RIGHT)
    (tu|vous) (n')? (aurais|auriez) (pas)? dû
    (il)? (ne)? fallait (pas)? _
    (tu|vous) (n')? (étais|étiez) (pas)? censé
    (tu|vous) (devais|deviez|étais censé|étiez censé) (INF|d'abord|lancer|_)
    (c'|ce|cette|cet) _{0,2} est (une|un|l'|la)? (ancienne|ancien|vieille|vieux|obsolète)
    (c'|ce|ça|il|elle) (n'|ne)? (est|figure|apparaît) pas dans (le|la|mon|ma|l') (document|fichier|texte|article|liste|rapport|données)
    (tu|vous) HAVE (dit|écrit|répondu|affirmé) (que|qu')? _{1,10} mais _
    ^ (c'|ce) (n'|ne)? est pas (mon|ma|mes) !(truc|problème|fort|style) _
    (crois|pense) que (le|la|l'|les|ton|ta) _{1,2} (est|sont) WRONG
    (tu|vous) HAVE (tout)? compris (à l' envers|de travers|à l'envers)
wrong .62 asked
    pourquoi (est-ce que)? (tu|vous) (me|m')? (réponds|répondez|écris|écrivez|utilises|utilisez|parles|parlez|mets|mettez|tutoies|vouvoies|changes) _
    (d'où|d' où) (tu|vous|est-ce que tu)? (sors|sortez|tires|tirez|sort)
wrong .62 objects
    (ce|cet|cette|ton|ta|votre|le|la) _{1,2} (ne|n')? (marche|fonctionne|compile|existe) pas
    (ce|cet|cette|ton|ta|votre|le|la) _{1,2} (ne|n')? s' ouvre pas
wrong .6 asked
    pourquoi (tu|vous|as|avez) (HAVE|tu|vous)? (supprimé|effacé|changé|utilisé|ignoré|enlevé|touché|modifié|fait|écrasé) _
    qui (t'|vous) a (dit|demandé) de
wrong .5
    START SWEAR SWEAR? END
replacement .93
    (je|j') (en)? (t'|te|vous|ai|avais)? (ai|avais)? (dit|demandé|voulais|voulais dire|écrit|parlais|parlé) (de|du|d')? <wanted> ,? (et)? (pas|non pas|non) (de|du)? <unwanted> $
    USE (toi)? <wanted> ,? (et|mais)? (pas|non|non pas|jamais) <unwanted> $
    USE (toi)? <wanted> (au lieu de|au lieu d'|à la place de|à la place du|plutôt que|plutôt qu'|au lieu du|au lieu des) <unwanted> $
    (ne|n')? (USE|BEHAVE) (pas|plus|jamais) <unwanted> ,? (mais|plutôt) (plutôt)? USE? <wanted> $
    (ne|n')? (USE|BEHAVE) (pas|plus|jamais) <unwanted> ,? (et)? USE <wanted> $
    (devrait|doit|devait|aurait dû) (être|dire|avoir|s'appeler) <wanted> ,? (et)? (pas|non|au lieu de|plutôt que) <unwanted> $
    (je|j') (n')? (ai)? pas (dit|demandé) <unwanted> ,? (mais|j' ai dit|j' ai demandé) <wanted> $
    c' est <wanted> ,? (et)? (pas|non) <unwanted> $
    (c'|ce) (n')? est pas <unwanted> ,? (mais|c' est) <wanted> $
    (avec|en|sur) <wanted> ,? (et)? pas (avec|en|sur) <unwanted> $
    (je|j') (m') (appelle) <wanted> ,? (et)? pas <unwanted> $
replacement .9
    (j'|je) (ai|avais|voulais) (demandé|dit|voulu)? (de|du|d'|un|une|le|la)? <wanted> (et|mais|,) (et|mais)? (tu|vous) (m'|me) (as|avez|donnes|donnez|mets) (donné|mis|fait|envoyé|rendu|sorti)? (de|du|d'|un|une|le|la)? <unwanted> $
replacement .8
    ^ NO ,? (plutôt)? USE (plutôt)? <wanted> $
    NO ,? plutôt <wanted> $
    NO ,? (j' ai dit|je voulais|je veux|j' ai demandé|je voulais dire) <wanted> $
    NO ,? (ça|ce|c'|le|la) _{0,2} (devrait|doit) (être|dire) <wanted> $
    (la|le) (bonne|bon) (ANSWER|THING) (est|c' est) <wanted> $
    (ça|il|elle) aurait dû être <wanted> $
    (tu|vous) HAVE (mis|utilisé|écrit|choisi) <unwanted> (au lieu de|au lieu d'|à la place de|alors que) <wanted> $
replacement .75
    NO ,? (NO ,?)? (le|la|les|l') (autre|autres|premier|première|deuxième|second|seconde|dernier|dernière|précédent) _?
    je (ne)? suis pas !(sûr|sûre|certain|en|à|d'|INF) <unwanted> ,? (je suis|mais) <wanted> END
replacement .7
    ^ en (fait|réalité) ,? (c' est|ce sont|il s' agit de|c' était) <wanted> $
    ^ en (fait|réalité) ,? _{1,3} (est|sont|était) <wanted> ,? (et)? pas <unwanted> $
    (je|j') (le|la|les|l')? (veux|voulais|voudrais|préfère|ai besoin) (en|avec|de|d')? <wanted> ,? (et)? pas (en|avec|de|d')? <unwanted> $
    NO ,? (j'|je) _ (à|en|au|dans) <wanted> ,? (et)? pas (à|en|au|dans) <unwanted> $
replacement .7 answers
    NO ,? (c' est|il s' agit de) <wanted> $
replacement .66
    ^ (NO ,)? (ça|ca|cela) s' (écrit|appelle|prononce|dit) !pas <wanted> $
replacement .6
    START (non ,)? pas (le|la|les|celui|celle)? <unwanted> ; (le|la|les|celui|celle|mais)? <wanted> END
replacement .6 objects
    (le|la|les|cette|ce|ça) _{0,2} (devrait|doit|devraient) (être|dire) <wanted> $
    START <wanted> (au lieu de|au lieu d'|à la place de|plutôt que) <unwanted> END
replacement .58 answers
    START (NO ,)? <wanted> , (et)? pas <unwanted> END
replacement .45 answers
    ^ <wanted> , pas <unwanted> $
misunderstood .93
    (n'|ne)? BE PAS (du tout|exactement)? ce (que|qu') (je|j') (t'|te|vous|ai|avais)? (ai|avais|suis)? (ASKED|demander)
    (n'|ne)? BE PAS (du tout|exactement)? ce dont
    (je|j') (n'|ne)? (t'|te|vous)? (ai|avais) (pas|jamais|rien) (ASKED) (ça|cela|de|que|ceci|qu'|un|une|d'|$|,|A)
    (je|j') (ne|n')? (parle|parlais|parlai) pas de (ça|cela|celui)
    (tu|vous)? (ne|n')? (m'|me)? (HAVE|avez) (mal|rien|pas) (du tout|bien)? (compris|lu|écouté|répondu|saisi|pigé|entendu)
    (tu|vous) (ne|n')? (me|m')? (comprends|comprenez|écoutes|écoutez|lis|lisez|réponds|répondez) (pas|rien)
    (c'|ce|ça) (n'|ne)? (BE|répond) (pas) (à)? (ma|la) question
    (tu|vous) (réponds|répondez) (à côté|pas)
    HAVE mal (compris|interprété|lu)
misunderstood .88
    (tu|vous) (n'|ne)? HAVE (même)? (pas|rien) (même)? (lu|écouté|regardé)
    (n') HAVE même pas (lu|écouté|répondu)
    (il)? manque (le|la|les|l'|un|une|des) _
    (tu|vous) (l'|les|le|la) HAVE (oublié|oubliée|oubliés|oubliées|omis)
misunderstood .85
    (relis|relisez|relire) (mon|ma|ce|bien|la|le|mes) _
    (lis|lisez) (bien|mieux|attentivement) (mon|ma|ce|la|mes)
misunderstood .8 asked
    (tu|vous|as-tu|avez-vous) (HAVE)? (lu|écouté|compris) (ce|mon|ma|la|au|le)
    (tu|vous) (n')? (HAVE)? pas (lu|compris|écouté)
misunderstood .75
    (tu|vous) (n'|ne) HAVE (même|toujours)? pas !(tort|besoin) _
misunderstood .7
    (tu|vous) HAVE (oublié|ignoré|sauté|omis|zappé|loupé) (de|d'|le|la|les|un|ce|l'|mon|ma|que|A)
    (je)? (voulais dire|parlais) (de|du|des|d')? <wanted> $
repeated .92
    (je|j')? (te|t'|vous|l')? (l'|le)? (ai|avais) (déjà) (TOLD)
    (je)? (t'|te|vous) (l')? (ai|avais) (TOLD) (de|d'|que|qu'|cent|mille|dix|plusieurs|non|pas|ça|$|,)
    combien de fois
    (je|j')? (te|t'|vous|l')? (ai|avais)? (TOLD) _{0,3} fois
    (tu|vous) (continues|continuez|recommences|recommencez|persistes|persistez) (à|de|encore|$|,|avec)
    (tu|vous) (refais|refaites|fais|faites) (encore|toujours|toute) (la|les) (même|mêmes|temps)
    (pour)? (la|l') (énième|deuxième|troisième|dernière|centième|seconde|nième) fois
    (encore|toujours) (la|le|les) (même|mêmes) (MISTAKE|chose|problème|réponse)
    (la) même MISTAKE
    (tu|vous) HAVE (encore|de nouveau) (fait|oublié|supprimé|utilisé|changé|effacé|ignoré|mis|écrit|faux|cassé)
    (je)? (dois|vais devoir|suis obligé) (de)? (me)? (répéter|le redire|redire)
    (je)? (te|vous) (le)? (répète|rappelle) (,|que|pour|$|de)
repeated .9
    ORDINAL fois que (je|j'|l'on|on)
    (je|j') (te|t'|vous)? (l')? (ai|avais) (bien)? (prévenu|averti|dit)
    (je)? viens (juste)? de (te|vous|t')? (le|l')? (dire|demander|expliquer)
    (j'|je) (t'|te|vous)? (avais|ai) (bien|expressément|explicitement|précisément|spécifiquement) (dit|demandé|précisé)
repeated .85
    (tu|vous) (l'|le|la|les)? HAVE encore _
repeated .85 asked
    combien de fois
    (je)? (ne|n')? (t'|te|vous|l')? (l')? (ai|avais) pas (déjà)? (dit|demandé)
    pourquoi (tu|vous)? (continues|continuez|insistes|recommences|fais|faites) (tu|vous)? (toujours|encore|à|de)?
    (qu'est-ce que|que) (je|j') (viens|ai) (de|dit)
repeated .8
    (tu|vous) (m'|me) (appelles|appelez|réponds|donnes|mets) (encore|toujours) _
repeated .68
    comme (je)? (te|t'|vous|l')? (le|l')? (j')? (ai|avais|disais|dis) (déjà)? (dit|expliqué|demandé|mentionné|précisé)?
    comme (dit|mentionné|précisé|demandé) (plus haut|précédemment|avant|tout à)
    ^ (je)? (répète|insiste) ,
    ^ (encore une fois|une fois de plus) , _
    ^ (NO ,?)? j' ai (dit|demandé) (que|de|un|une|le|la|en|pas|A|qu')
repeated .6
    START (NO ,?)? j' (ai|avais) dit _{1,3} END
repeated .6 objects
    ^ encore (des|les|ces|tes|cette|ce) _
instruction .88
    STOP (d'|de|avec|tes|ces|les|tout|_) (INF|inventer|t'|vous|me|faire|mettre|_)
    (ne|n')? (me|te|t'|m'|le|la|l'|les|y)? BEHAVE (plus|jamais|plus jamais)
    (ne|n') (me|le|la|les|te)? (fais|faites|refais|refaites) (pas|plus|jamais) (ça|cela)
    (ne|n')? (fais|faites) (plus|pas|jamais) (ça|cela)
    jamais (de|d') <unwanted> $
    BEHAVE (moi)? toujours
    toujours (utiliser|répondre|mettre|écrire|vérifier|USE)
    (il faut|tu dois|vous devez|tu devrais) (toujours|jamais)
    (tu|vous) (ne|n')? (dois|devez|devrais|devriez) (pas|jamais|plus)
    (désormais|dorénavant|à l'avenir|à l' avenir|à partir de (maintenant|là)|à partir d' aujourdhui|à présent|dès maintenant) !( ,? (je|on|nous|j'|il|mon))
    (la)? prochaine fois !( ,? (je|on|nous|j'|que))
    je (ne)? (veux|voudrais) (pas|plus) que (tu|vous)
    STOP (de|d') &(INF|t'|vous|me) <unwanted> $
    BEHAVE toujours <wanted> $
    (ne|n') BEHAVE (plus|jamais|plus jamais) <unwanted> $
    (souviens-toi|rappelle-toi|retiens|n'oublie pas|n' oublie pas) que (je|j'|mon|ma)
    STOP (les|avec|ces|tes) <unwanted> $
    j' aimerais (mieux)? que (tu|vous)
instruction .85
    merci de ne (pas|plus|jamais)
    (^|NO|et|mais|plaît) (ne|n') BEHAVE (pas|plus|jamais) (de|d'|les|le|la|mes|mon)
    veuillez ne (pas|plus|jamais) _
    (je)? vous prie de ne (pas|plus)
    (ça|ca) suffit (les|avec|de|tes|ces|avec les) <unwanted> $
instruction .8 asked
    (peux|pouvez|pourrais|pourriez|tu peux|vous pouvez) (tu|vous)? (arrêter|cesser|éviter) (de|d')
    (peux|pouvez|pourrais|pourriez) (tu|vous)? ne (pas|plus)
    (peux|pouvez|pourrais|pourriez) (tu|vous)? (utiliser|mettre|écrire|répondre) _{1,6} (au lieu de|au lieu d'|à la place de|plutôt que)
instruction .72
    (^|NO ,|et|mais) (ne|n') (me|te|le|la|les|t'|m'|l'|y)? BEHAVE (pas|rien)
    (^|NO ,|et|mais) (BEHAVE) pas (de|d'|ça|les|le|la|mon|mes)
    (évite|évitez) (de|d'|les|le|la)
    (plus|assez) (de|d') <unwanted> END
    START (NO ,?)? pas (de|d') <unwanted> END
    je préfère que (tu|vous)
instruction .68
    (demande|demandez|préviens|prévenez|consulte) (moi)? (toujours)? avant (de|d'|que)
    je (préfère|préférerais|préfèrerais) (des|les)? _{0,2} (réponses|explications|phrases|textes|résumés|commentaires)
instruction .66
    (va|allez|viens|venez) (droit|directement)? (au but|à l' essentiel|à l'essentiel)
    ^ (enlève|enlevez|saute|sautez|retire) (l'|la|le|les) (intro|introduction|préambule|blabla|avertissements)
instruction .62
    (vouvoie|vouvoyez|tutoie|tutoyez) (moi)
    (on)? (ne)? se tutoie pas
instruction .6 objects
    START (je) (ne)? veux pas (de|d'|des) !INF <unwanted> END
    ^ (USE|avec) (moins|plus) (de|d') _
dissatisfied .72
    (ça|cela|^|ce) (n'|ne)? (a|fait|veut) (aucun|pas de|pas|rien) (sens|dire)
    (ça|cela) (ne)? (m')? (aide|sert) (pas|à rien|à)
    (tu|vous) (ne)? (sers|servez|m'aides|m' aides|m' aidez) (à rien|pas)
    (tu es|vous êtes) (inutile|nul|nulle|bête|stupide|con)
dissatisfied .68 asked
    de quoi (tu|vous|est-ce|parles|parlez) (tu|vous|parles|parlez)?
    (tu|vous)? (racontes|racontez) (quoi|n'importe)
    (c' est quoi|quel|quelle) (ce|cette)? (bordel|délire|connerie|merde|bazar)
dissatisfied .64
    ^ (c'|ce|ça)? est (beaucoup)? trop (long|longue|court|courte|formel|formelle|compliqué|compliquée|vague|technique|générique|détaillé|répétitif)
dissatisfied .55 asked
    ^ (que|qu'est-ce que|qu') (veux|voulez|tu|vous) (tu|vous|veux|voulez) (dire)? (par là)? $
    ^ (comment ça|c'est-à-dire) $
dissatisfied .42 asked
    (tu es|vous êtes|es-tu|êtes-vous) (sûr|sûre|certain|certaine)
    (réessaie|réessayez|essaie|vérifie|regarde|cherche) (encore|à nouveau|de nouveau)
dissatisfied .4
    ^ (laisse|laissez) tomber END
    ^ (oublie|oubliez|tant pis|peu importe) END
amended .35
    (attends|attendez|pardon|oups|désolé|désolée|enfin|excuse|excusez) ,? (moi)? ,? (attends|non|pardon)? ,? (je)? (voulais dire|veux dire|pensais à)
    (je)? (me|m') (suis|étais) (trompé|trompée|gouré|planté|mal exprimé|mal exprimée|emmêlé|mélangé)
    (c' est|erreur|faute) (de)? (ma|moi) (faute|part|erreur)?
    (autant|au temps) pour moi
    j' ai changé d' avis
    j' ai (fait une erreur|eu tort|dit une bêtise)
declined .4
    START NO END
declined .35
    START NO ,
declined .25
    START NO (je|le|la|il|A)
"""

GUARDS = """
before 0
    OTHERS _{0,3} (m'|me|lui|t'|nous)? (a|ont|avait)? SAY
    (disent|dit|pensent|croient|affirment|paraît|parait) (que|qu')
    (m'|me) (a|ont|avait) (dit|raconté|prévenu|expliqué)
    (selon|d' après|lu|entendu|soi-disant)
    (si|s'|quand|lorsque) !,
    (au cas|supposons|imagine|imaginons|comme si|à supposer|peutêtre)
    (traduis|traduire|traduisez|traduction de|phrase|mot|chanson|poème|titre|intitulé|histoire|conte|dialogue|personnage|signifie|dis-lui|envoie|tweete|rappelle-moi)
    (je|j')? (sais|savais|pensais|croyais|crains) que
    (je)? (ne|n')? (suis pas sûr|suis pas sûre|sais pas|dis pas) (que|si)?
    merci
    (dit|raconté|dis|dire) à _{1,3} que
    (mail|email|courriel|lettre|message) _{0,3} (dire|disant|que|qui)
    disant que
before .75
    THINGS _{0,2} SAY
before 0 instruction replacement
    (je|j'|on|nous|ils|elles) _{0,2} $
before 0 wrong misunderstood repeated dissatisfied replacement instruction
    OTHERS (s'|ne|n')? $
before 0 repeated
    (hier|toujours)
before 0 wrong misunderstood
    (pensais|croyais) (que|qu')
before 0 misunderstood
    (il|elle|ils|elles|OTHERS) $
clause 0 question
    ^ (pourquoi|quel|quelle|qui|où|est-ce|qu'est-ce|en quoi|est-il)
    (dis|dites|dire|explique|expliquez|expliquer|vérifie|vérifiez|vérifier|confirme|savoir|comprendre|montre|indique|préviens|regarde) (moi)? _{0,3} (si|s'|pourquoi|ce|où|quel|quelle|comment|qui)
after 0
    ^ , _{0,2} OTHERS (a dit|dit|disent|ont dit)
    ^ , (dit|selon|d' après|m' a) _
    ^ (,)? ou (pas|non|je|c'|est)
after 0 repeated
    ^ à (ma|mon|un|une|lui|elle|OTHERS)
sentence 0
    (n'|ne|rien|pas|jamais|aucun|aucune|sans) _{0,2} (rien|pas|aucune|aucun|de|d')? (de|d')? (WRONG|MISTAKE)
    pas (si)? (mal|bête|grave)
    (pourrait|peut|peutêtre) (être|que)? (WRONG)
    (je|j') (me|m'|ai|suis) (trompe|trompé|trompée|tort|faux|suis trompé|suis trompée)
    (corrige|corrigez|dis|dites|arrête|arrêtez) (moi)? si
    (tu|vous) (ne|n')? (te|vous|t') (trompes|trompez|es) (pas)
sentence 0 declined wrong replacement repeated instruction
    (pas|aucun|NO) ,? (de|d')? (problème|souci|soucis|stress|panique|doute|urgence|quoi|inquiétude)
    NO ,? (merci|t'inquiète|t' inquiète|ça va|c' est bon|c' est tout|ce sera tout|rien|ne t' inquiète|pas besoin|tout va|pas vraiment|pas encore|pas maintenant|pas pour|je ne crois|je crois|c' est parfait|c' est bien|c' est gentil)
    ^ NO ,? (c'|ce|ça|tout|cela) (est|va|sera)? _? FINE
    (ce|c') (n')? est (pas|rien) (grave|mal|urgent|nécessaire|la peine|rien)
sentence 0 declined wrong replacement repeated
    NO ,? (vas-y|allez-y|continue|continuez|vas y|poursuis|poursuivez)
sentence 0 replacement
    START (OTHERS) (a|ont|avait)? SAY
message 0 wrong misunderstood declined dissatisfied
    (tu|vous|t') HAVE (bien|tout à fait|entièrement)? raison !mais
    ^ (c' est|ça) (est)? (correct|parfait|vrai|exact|juste|bon) ,
"""

FRENCH = PhraseTable(
    "fr",
    CLASSES,
    PHRASES,
    GUARDS,
    spoken=SPOKEN,
    fillers=FILLERS,
    common=COMMON,
    endings={"INF": "er ir re"},
    elides=True,
)
