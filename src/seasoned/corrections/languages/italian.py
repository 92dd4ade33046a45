"""How Italian speakers correct an assistant (tu, Lei), and what only looks like it."""

from seasoned.corrections.languages.table import PhraseTable

CLASSES = {
    "AND": "ma perché però quindi puoi può potresti come che",
    "APART": "non è sono era se quando perché che io lui lei mi ti si sì ok",
    "NO": "no nope nah noo nooo macché",
    "QUESTO": "questo questa quello quella ciò cosi questi quelli queste quest' quell'",
    "BE": "è sono era erano e' sembra pare suona fosse sia sei resta",
    "HAVE": "hai ha avete",
    "A": "un una un' uno il lo la l' i gli le mio mia tuo tua suo sua altro altra qualche",
    "WRONG": "sbagliatissimo sbagliatissima obsoleto obsoleta superato superata sbagliato sbagliata sbagliati sbagliate scorretto scorretta errato errata errati falso falsa"
    " falsi incorretto incorretta inesatto inesatta inventato inventata assurdo sballato errore",
    "RIGHT": "aggiornato aggiornata corretto corretta corretti giusto giusta giusti vero vera esatto esatta così",
    "MISTAKE": "errore errori sbaglio sbagli svista equivoco refuso strafalcione",
    "ERRED": "sbagli sbaglia sbagliando sbagliato sbagliata confondi confonde confondendo confuso",
    "ANSWER": "risposta risposte risultato risultati traduzione calcolo dato dati informazione soluzione"
    " comando codice riassunto spiegazione formula output",
    "THING": "ANSWER file cosa nome data ora numero posto persona modo opzione cartella ramo pagina"
    " indirizzo lingua formato funzione versione link parola domanda canzone cella colonna",
    "ASKED": "chiesto detto chiedevo dicevo volevo voglio intendevo intendo cercavo cerco serve serviva"
    " richiesto domandato scritto avevo aspettavo chiedo dico bisogno",
    "SAY": "detto dice dicono dicendo diceva pensa pensano crede credono sostiene sostengono afferma"
    " afferma insiste scrive scritto pensava credeva ritiene secondo",
    "OTHERS": "lui lei loro professore professoressa prof insegnante maestra maestro capo amico amica"
    " collega madre padre mamma papà fratello sorella moglie marito fidanzato fidanzata cliente"
    " gente qualcuno tutti nessuno avvocato medico dottore figlio figlia zio cugino utente utenti"
    " autore vicino team personaggio",
    "THINGS": "documentazione manuale compilatore linter test console log terminale wikipedia sito libro"
    " calcolatrice",
    "USE": "usa usi usate utilizza utilizzi utilizzate adopera metti metta mettete fai faccia fate scrivi"
    " scriva scrivete chiama chiami chiamate prova provi scegli scelga di' dica rispondi risponda"
    " rispondete traduci traduca restituisci cambia cambi cambiate mostra mostri apri apra manda"
    " mandi invia invii lascia lasci dammi esegui lancia cerca cerchi prenota prendi prenda"
    " formatta chiamami chiamalo aggiungi togli includi tieni usalo mettilo scrivilo fallo devi"
    " usare",
    "DONT": "usare utilizzare fare farlo mettere aggiungere cancellare eliminare cambiare modificare"
    " toccare inventare inventarti dire scrivere rispondere tradurre riassumere ripetere assumere"
    " supporre spiegare chiamare chiamarmi mandare inviare includere mescolare ignorare chiedere"
    " chiedermi iniziare interrompere scusarti darmi dare togliere rimuovere mentire suggerire creare"
    " saltare omettere usarlo cancellarlo toccarlo parlare essere rinominare sovrascrivere usi usate"
    " faccia metta cancelli cambi scriva risponda inventi aggiunga tocchi permetterti",
    "STOP": "smetti smetta smettete smettila smetterla finiscila piantala basta piantatela",
    "LISTEN": "capito capisci capisce capendo ascolti ascoltando ascolta ascoltato letto leggi leggendo"
    " compreso risposto rispondi afferrato",
    "DI": "di del della dei degli delle dello",
    "FINE": "bene perfetto tutto corretto ottimo ok eccellente abbastanza necessario giusto bello posto"
    " apposto",
    "ORDINAL": "seconda terza quarta quinta ennesima ultima decima",
    "SWEAR": "merda cazzo accidenti maledizione diamine porca cavolo",
}

SPOKEN = {
    "nn": "non",
    "xke xche xké xchè perche' perchè": "perché",
    "cmq": "comunque",
    "x": "per",
    "ke": "che",
    "grz": "grazie",
    "dell'": "di il",
    "all'": "a il",
    "dall'": "da il",
    "nell'": "in il",
    "sull'": "su il",
    "d'": "di",
    "po'": "poco",
    "dimmi": "di' mi",
}

FILLERS = """totalmente completamente davvero semplicemente chiaramente ovviamente assolutamente
eh ehm mmm mm hmm ah oh guardi senti senta dai ahah ahaha favore solo soltanto
anche letteralmente definitivamente sinceramente francamente ehi ciao
decisamente purtroppo mah beh uff
affatto proprio molto"""

COMMON = """è e di a il lo la i gli le un una in che per con da del della al si se mi ti ci io tu lui
lei ma o come più sono sei ha ho hai questo quello anche nel molto quando dove c'è ogni due
ciao grazie buono buona giorno può puoi potresti qualcosa niente tutto tutti fare dire piace
voglio vuoi vuole serve questa qui ora adesso dopo prima fino senza durante chi cosa quale anni
volta volte cose gente vita casa tempo vi loro noi voi era erano stato stata siamo siete essere
avere potere andare vado va andiamo vedere dare so sa sapere credo mettere usare scrivere
cancellare cambiare codice file risposta lingua parola domani oggi meglio altro altra tre stesso
mentre secondo alla alle agli dei degli delle dello dalla nella nelle sulla sul col dal ai mio
mia tuo tua suo sua suoi quel quella quelle questi quelli perché poi già ancora sempre mai meno
abbiamo hanno fa fai faccio sto stai sta virgole righe nome dati"""

PHRASES = """
wrong .93
    QUESTO (BE) (A|tutto)? WRONG
    QUESTO non BE A? RIGHT
    non BE RIGHT (che|$|,|quello|QUESTO|per|_)
    (ti|si|vi) (stai|sta)? (sbagli|sbaglia|sbagliando|confondi|confonde|confondendo)
    (ti|si) (sei|è) (sbagliato|sbagliata|confuso|confusa)
    (stai|sta) (allucinando|mentendo|inventando|sbagliando|confondendo)
    (te|se) (lo|la|li|l') (sei|è|stai|inventi) (inventato|inventata|inventando)?
    HAVE (sbagliato|confuso|frainteso|cannato|toppato)
    HAVE (fatto|commesso) (A|vari|parecchi) MISTAKE
    HAVE (fatto|scritto|tradotto|calcolato|letto|messo|capito|interpretato) _{0,3} (male|sbagliato)
    (la|tua|questa|sua|il|tuo|questo) _? ANSWER (non)? BE (WRONG|RIGHT)
    ANSWER (sbagliata|errata|sbagliato|errato|scorretta) $
    c' BE (A|un|qualche) MISTAKE (in|nella|nel|nella) _
    ci sono (A|degli|vari|molti) MISTAKE (in|nella|nel)
    HAVE (inventato|confuso|scambiato) _
    HAVE torto
wrong .9
    (QUESTO|tuo|tua|suo|tuoi|tue) _{1,2} (non)? BE (WRONG|RIGHT)
    il tuo _{1,2} (non)? BE (WRONG|RIGHT)
    HAVE (cancellato|aperto|usato|scelto|cambiato|messo|mandato|modificato|letto|preso|prenotato) (il|la|lo|i|le|l') _ (sbagliato|sbagliata|errato|errata|sbagliati)
    HAVE risposto a (un|un'|una)? altra _
    non si (scrive|dice|fa|chiama|usa|pronuncia) (così|in)
    (stai|sta) (confondendo|mescolando) _
    (mi dispiace)? ma non è (vero|così|corretto)
    (QUESTO|quel) _{0,2} non (esiste|esistono)
    (è|e') (il contrario|l' opposto|al contrario|l' inverso)
    (te|se) (la|li|le) (sei|è) (inventato|inventata|inventati|inventate)
    (c'|ci) (è|sono) (A|un|qualche|degli) MISTAKE
    QUESTO (è|e'|era) (il|la|lo|l'|un|una) _ (sbagliato|sbagliata|errato|errata)
    (mio|mia) _{1,2} non si (scrive|chiama|pronuncia)
    tu abbia (confuso|sbagliato|frainteso|scambiato|invertito|dimenticato)
    ^ (neanche per sogno|nemmeno lontanamente|neanche lontanamente|manco per niente) $
wrong .86
    ^ (NO ,?)? (sbagliato|falso|errato|scorretto|sbagliata) $
    ^ (NO ,?)? (così|questo|quello) no $
    NO , (così|questo|quello) (no|non)
    ^ non (è|era|e') (questo|così|quello|vero|corretto|giusto|esatto)
    (continua|è ancora|resta) (a)? (essere)? (WRONG|sbagliare|fallire)
    non è (vero|così) $
wrong .75
    ^ (è|e'|era) WRONG !(che|se)
    (il|la|le|i|lo|l') (THING|ANSWER) (BE) WRONG
    (^|questo|così|quello|NO ,) non (funziona|ha funzionato|va) (ancora|così|$|,|bene|per|a)
    ancora non (funziona|compila|va|parte)
    (continua|continui) a non (funzionare|compilare|andare)
    (correggi|corregga|sistema|aggiusta|correggilo|sistemalo) (questo|quello|tuo|$)
    (annulla|ripristina) (questo|tutto|le|la|il|quello|A)
    non sono d'? (di)? accordo
    non credo (che)? (sia|QUESTO) _? (RIGHT|così)
    non (avresti|dovevi|avrebbe) (dovuto)? _
    (avresti|dovevi|avrebbe) (dovuto)? (usare|chiedere|fare|scrivere|mettere|leggere|tenere|controllare)
    ^ (A)? THING (sbagliato|sbagliata|errato|errata) $
    (dovevi|doveva|avresti dovuto) (INF|prima|chiedere|_)
    QUESTO _{0,2} (è|sono) (una|un|la|il)? (vecchia|vecchio|vecchie|superata|antica)
    (nel|nella|nei|in) (documento|file|testo|articolo|lista|rapporto|dati) non (c'|ci|è|risulta|compare) _?
    non (c' è|è|compare|risulta) (nel|nella) (documento|file|testo|articolo|lista|rapporto)
    HAVE (detto|scritto|risposto) (che)? _{1,10} ma _
    ^ QUESTO non (è|era) (il|la|l')? (mio|mia) _
    (credo|penso|sa) che (il|la|l'|lo|i|le) _{1,2} (sia|è|siano) WRONG
    HAVE capito (tutto)? (al contrario|alla rovescia)
wrong .62 asked
    perché (mi)? (rispondi|risponde|scrivi|scrive|usi|usa|metti|parli|hai risposto) _
    da dove (l'|lo|la|li)? (hai|ha|tiri|prendi) _?
wrong .62 objects
    (QUESTO|quel|il|la|l'|tuo|tua) _{1,2} non (funziona|compila|va|parte|esiste)
    (QUESTO|quel|il|la|l') _{1,2} non si (apre|carica)
wrong .6 asked
    perché HAVE (cancellato|eliminato|cambiato|usato|ignorato|tolto|toccato|rimosso|fatto) _
    chi (ti|le) ha (detto|chiesto) di
wrong .5
    START SWEAR SWEAR? END
replacement .93
    (ti|le|ne)? (ho|avevo) (detto|chiesto|scritto|richiesto|chiesti|chieste|chiesta|detti) (di|che|per|usare)? <wanted> ,? (e|mica)? non <unwanted> $
    (volevo|intendevo|dicevo|chiedevo|mi serviva|cercavo|mi riferivo|parlavo) (dire|a|di|al|alla|del)? <wanted> ,? (e)? non (a|di|al|alla|del)? <unwanted> $
    USE <wanted> ,? (e)? (non|mai) <unwanted> $
    USE <wanted> (invece DI|al posto DI|anziché|piuttosto che|invece che) <unwanted> $
    non DONT <unwanted> ,? (ma|bensì) (USE)? <wanted> $
    non DONT <unwanted> ,? (e)? USE <wanted> $
    (dovrebbe|deve|doveva|dovrebbero) (essere|dire|avere) (stato)? <wanted> ,? (e)? (non|invece DI|al posto DI) <unwanted> $
    non (ti)? ho (detto|chiesto) <unwanted> ,? (ma|bensì|ho detto|ho chiesto) (di)? <wanted> $
    (è|sono|era|e') <wanted> ,? (e|mica)? non <unwanted> $
    non (è|sono|era) <unwanted> ,? (ma|bensì|è|sono|era) <wanted> $
    con <wanted> ,? non con <unwanted> $
    mi chiamo <wanted> ,? (e)? non <unwanted> $
replacement .9
    (ti)? (ho|avevo) (chiesto|detto) (di|un|una|il|la)? <wanted> (e|ma|,) (e|ma)? mi HAVE (dato|mandato|fatto|scritto|restituito) (un|una|il|la)? <unwanted> $
replacement .8
    ^ NO , (meglio)? USE (meglio)? <wanted> $
    NO , (ti)? (ho detto|ho chiesto|volevo|intendevo|voglio) (dire)? <wanted> $
    NO , (questo|il|la)? _{0,2} (dovrebbe|deve) (essere|dire) <wanted> $
    (quello|quella|la cosa) (giusto|giusta|corretto|corretta) (è|sarebbe) <wanted> $
    (il|la|l') (ANSWER|THING) (corretta|corretto|giusta|giusto|esatta) è <wanted> $
    HAVE (usato|messo|scritto|scelto) <unwanted> (invece DI|al posto DI|e non|ma era) <wanted> $
replacement .75
    NO ,? (NO ,?)? (il|la|l'|i|le|lo) (altro|altra|altri|primo|prima|secondo|seconda|ultimo|ultima|precedente) _?
replacement .7
    ^ in realtà ,? (_{1,3})? (è|sono|era|e') <wanted> $
    (lo|la|li|le)? (voglio|volevo|preferisco) (in|con)? <wanted> ,? (e)? non (in|con)? <unwanted> $
    mi (serve|serviva|servono) <wanted> ,? (e)? non <unwanted> $
    NO ,? _ (a|in) <wanted> ,? (e)? non (a|in) <unwanted> $
replacement .7 answers
    NO , (è|sono|era) <wanted> $
replacement .66
    ^ (NO ,)? si (scrive|chiama|pronuncia|dice) <wanted> $
replacement .6
    START (NO ,)? non (QUESTO|il|la|lo)? <unwanted> ; (ma)? (QUESTO|il|la|lo)? <wanted> END
replacement .6 objects
    (il|la|QUESTO|l') _{0,2} (dovrebbe|deve|doveva) (essere|dire) <wanted> $
    START <wanted> (invece DI|al posto DI|anziché) <unwanted> END
replacement .58 answers
    START (NO ,)? <wanted> , (mica|e)? non <unwanted> END
replacement .45 answers
    ^ <wanted> , non <unwanted> $
misunderstood .93
    non BE (quello|ciò|questo|la cosa|quel) (di)? che (io)? (ti|le)? (ho|avevo|sto|stavo)? (ASKED|chiedendo|cercando|dicendo|chiesto)
    (io)? non (ti|le|l')? (ho|avevo) (ti)? (chiesto|detto|domandato|richiesto) (QUESTO|niente|nulla|di|che|A|nessun)
    non (l'|lo|ti) (ho)? (chiesto|detto)
    (non)? (ho|ti ho|l'ho|l' ho) mai (detto|chiesto)
    QUESTO non (l'|lo|ti)? ho (chiesto|detto)
    (mi)? HAVE (frainteso|capito|malinteso) (male|$|,|tutto|me|quello|la)
    non (mi)? (HAVE|stai|sta)? (mi)? (LISTEN) (quello|la|il|bene|niente|nulla|cosa|$|,|un|mi|alla|me|ciò|che)
    non (risponde|rispondi|HAVE risposto) (alla|a|quello) _
    non era (la|questa|quella) (mia)? domanda
    non intendevo (questo|quello|dire|così)
misunderstood .88
    non HAVE (nemmeno|neanche|neppure)? (letto|ascoltato|guardato) (il|la|quello|ciò)
    (manca|mancano) (il|la|gli|le|i|un|l') _
    (te|se) (li|lo|la|le) (sei|è) (dimenticati|dimenticato|dimenticata|dimenticate|scordato|scordati)
    non (è|era) di (questo|quello|ciò) (che)? _
    (lei|tu) non (capisce|capisci) _
misunderstood .85
    (rileggi|rilegga|leggi bene|legga bene|leggi di nuovo) (il|la|quello|i|le|bene|ciò) _
    (fai|stai|faccia) (più)? attenzione
misunderstood .8 asked
    HAVE (letto|ascoltato|capito) (quello|la|cosa|almeno|il|bene|ciò) _
    non HAVE (letto|capito|ascoltato) _
misunderstood .75
    non (hai|avete) (ancora)? !(torto|bisogno|idea|problemi|niente) _ (il|la|l'|i|gli|le|un|una|niente|bene|quello|nulla|ciò)
    START lei non mi (sta|ha) (ascoltando|capendo|rispondendo|ascoltato|capito|risposto)
misunderstood .7
    (ti|si) (sei|è) (dimenticato|dimenticata|scordato) (di|il|la|le|i|un|del|che|A)
    HAVE (dimenticato|ignorato|saltato|tralasciato|omesso) (di|il|la|le|i|un|quello|la|tutto|A|che)
    (intendevo|volevo dire|mi riferivo|parlavo) (a|di|al|alla|del|dire)? <wanted> $
repeated .92
    (te|ve|glie) (lo|l'|la)? (ho|avevo) (già)? (detto|chiesto|spiegato|ripetuto)
    (te|glie) l' ho
    (ti|le|vi|l'|lo)? (ho|avevo) (già) (detto|chiesto|spiegato|scritto|ripetuto|specificato|dato)
    (ti|le|vi) (ho|avevo) (detto|chiesto|avvertito|avvisato) (di|che|già|mille|più|prima|non|tante|$|,)
    quante (altre)? volte
    (ti|le)? (ho|l'ho|l' ho) (già)? (detto|chiesto|ripetuto) _{0,3} (volte|già)
    (continui|continua|torni) a (INF|DONT|non|usare|fare)
    (fai|hai fatto|fa) (sempre|ancora|di nuovo) (lo stesso|la stessa|gli stessi)
    per (l'|la|l) (ennesima|seconda|terza|ultima|quarta) volta
    (di nuovo|ancora|un'altra volta|un' altra volta) (sbagliato|sbagliata|lo stesso|la stessa|male|con)
    lo stesso (MISTAKE|identico)
    HAVE (fatto|sbagliato|cancellato|usato|cambiato|ignorato|dimenticato) _{0,3} (di nuovo|ancora|un'altra volta|un' altra volta) $
    (devo|dovrò|tocca) (ripetere|ripetertelo|ripeterlo|ridirlo|ridire)
repeated .9
    ORDINAL volta che (te|lo|ti|glielo|io)
    (ti|la|l') (ho|avevo) (già)? (avvertito|avvisato|avvertita)
repeated .85
    (te|glie) (l'|lo) ho appena
    (ti|le)? (ho|avevo) (espressamente|esplicitamente|specificamente|appena) (detto|chiesto|scritto)
    ^ (NO ,?)? (ti)? avevo (detto|chiesto|scritto) _
repeated .85 asked
    quante volte (devo|te|ti|bisogna|ancora|dovrò)
    non (te|ti) (l'|lo)? (ho|avevo) (già)? (detto|chiesto)
    perché (continui|continua|insisti|fai sempre|ancora)
    (cosa|che) (ti)? ho (appena)? detto
repeated .7
    ^ (NO ,?)? (ti)? (ho|avevo) (detto|chiesto) (meno|più|massimo|al massimo|niente|almeno|entro) _
repeated .68
    come (ti|le|vi)? (ho|avevo) (già)? (detto|chiesto|scritto|spiegato|menzionato|accennato)
    come dicevo
    ^ (ripeto|insisto|ribadisco) ,
    ^ (di nuovo|ancora|ancora una volta) , (non|ti|questo|usa|il|la|è)
    ^ (NO ,)? (ho detto|ho chiesto|ti ho chiesto) (di|che|il|la|un|non|con|in|senza|niente|A)
repeated .6
    START (NO ,?)? ho detto _{1,3} END
instruction .88
    STOP (di|con) (INF|DONT|i|gli|le|la|queste|questi|scusarti|_)
    (non) DONT (mai|più|mai più|ancora)
    non (lo|la|mi|ti)? (fare|farlo|farla|faccia|rifare|rifarlo) (più|mai|questo|di nuovo|ancora|così)
    (non) DONT _{0,6} (mai|più|mai più|senza|di nuovo)
    mai più _
    (mai) DONT
    USE sempre
    sempre (USE|usare|rispondere|scrivere)
    (devi|deve|dovete|dovresti) sempre
    non (devi|deve|dovete|dovresti) (mai|più)? (DONT|_)
    (d'ora|di ora|da ora|da adesso|d'ora) (in)? (poi|avanti) !( ,? (vado|io|andrò|voglio|farò|mi))
    (la|per la) prossima volta !( ,? (vado|io|andrò|che))
    in futuro , (USE|non|mai|sempre)
    (in futuro|d'ora in poi) (USE|non|mai|sempre)
    non voglio che (tu|mi|ti)
    STOP di &(INF|DONT) <unwanted> $
    USE sempre <wanted> $
    non &DONT <unwanted> mai $
    (ricordati|ricorda) che (sono|io|non|il|preferisco)
instruction .85
    (la|ti|vi) prego di non _
    (si astenga|astieniti) (da|dal|dall') _
instruction .8
    ^ basta !(così|che|un|una|grazie|per|poco|io|te|questo|e) <unwanted> END
instruction .8 asked
    (puoi|potresti|può|potrebbe) (smettere|smetterla|evitare) (di)?
    (puoi|potresti|può) non _
    (puoi|potresti|può) (usare|mettere|scrivere|rispondere) _{1,6} (invece DI|al posto DI|anziché)
instruction .72
    (^|NO ,|e|ma|per) non (mi|lo|la|li)? DONT
    (^|e|ma|per) non &DONT <unwanted> $
    basta con (il|la|le|i|gli)? <unwanted> $
    (evita|eviti|evitate) (di)? (INF|DONT)
    preferisco che (non|tu|mi)
instruction .7
    ^ non INF così
    (vai|venga|vieni|vada) (dritto)? al (punto|sodo|dunque)
    ^ (togli|tolga|salta|elimina) (l'|la|le|il|gli) (introduzione|intro|premesse|premessa|avvisi|scuse)
instruction .68
    (chiedi|chiedimi|chieda|avvisami|avvisa|conferma) (mi)? (sempre)? prima di
    (preferisco|preferirei) (delle|le)? _{0,2} (risposte|spiegazioni|frasi|testi|riassunti|commenti)
instruction .62
    (dammi|diamoci|mi dia) del (tu|lei)
instruction .6 objects
    START non voglio !(che|niente|nulla|INF|DONT) <unwanted> END
    ^ (USE|con) (meno|più) _
dissatisfied .72
    (questo|quello|^|cosa) non ha (alcun|nessun)? senso
    (questo|così|quello|risposta) non (mi)? (aiuta|serve|è utile|è d'aiuto) (a|di)? (niente|nulla)?
    (sei|è) (inutile|un idiota|stupido)
    non (mi)? (stai|sta) aiutando
dissatisfied .68 asked
    di (che|cosa) (cosa)? (stai|sta|parli|diavolo) (parlando)?
    (ma)? che (cazzo|diavolo|cavolo|diamine) _
dissatisfied .64
    ^ (è|e'|questo è)? troppo (lungo|lunga|corto|corta|formale|complicato|complicata|generico|generica|tecnico|vago|prolisso|dettagliato)
dissatisfied .55 asked
    ^ (che|cosa|che cosa) (vuoi|vorresti|intendi) (dire)? $
    ^ in che senso
dissatisfied .42 asked
    (sei|è) (sicuro|sicura|certo|certa)
    (riprova|prova|controlla|cerca|verifica|guarda) (di nuovo|ancora)
dissatisfied .4
    ^ (lascia|lasci) (perdere|stare) END
    ^ (non importa|fa niente|fa nulla) END
amended .35
    (aspetta|aspetti|scusa|scusi|ops|anzi|pardon) ,? (aspetta|scusa|no)? ,? (volevo dire|intendevo|intendo|volevo)
    (mi sono|ho) (sbagliato|sbagliata|confuso|confusa|espresso|spiegato) (io)?
    (errore|colpa|sbaglio) (mio|mia)
    colpa mia
    ho cambiato (idea|parere)
declined .4
    START NO END
declined .35
    START NO ,
declined .25
    START NO (il|la|io|voglio|mi|A)
"""

GUARDS = """
before 0
    OTHERS _{0,3} (mi|ti|gli|ci|le)? (ha|hanno|aveva)? SAY
    (dicono|dice|sostengono|pensano|credono|dicevano) (che)?
    mi (ha|hanno|aveva|è stato) (detto|raccontato|avvisato)
    (secondo|stando a|letto|sentito|pare che)
    (se|qualora) !,
    (nel caso|supponiamo|supponi|immagina|immaginiamo|come se)
    (traduci|traduca|tradurre|frase|parola|canzone|poesia|titolo|intitolato|racconto|storia|dialogo|personaggio|significa|digli|dille|manda|twitta|ricordami)
    (so|sapevo|pensavo|credevo|temo) che
    non (sono sicuro|sono sicura|so|dico|significa|vuol dire)
    grazie
    (detto|dico|dire|raccontato) a _{1,3} che
    (mail|email|lettera|messaggio) _{0,3} (dire|dicendo|che)
    dicendo che
before .75
    THINGS _{0,2} SAY
before 0 wrong misunderstood repeated dissatisfied replacement instruction
    OTHERS (si|mi|non)? $
    mi ha _{0,2} $
before 0 instruction
    (io|noi) _{0,2} $
before 0 repeated
    (ieri|sempre|allora)
before 0 wrong misunderstood
    (pensavo|credevo) (che)?
    (gliel'|glie|gliel) _? $
    (lui|lei|OTHERS) (non)? $
clause 0 question
    ^ (perché|quale|chi|dove|cosa c'|cosa (è|c')|qual)
    (dimmi|di' mi|dirmi|spiega|spiegami|verifica|controlla|conferma|sapere|capire|mostrami|indicami|fammi) _{0,3} (se|perché|cosa|quale|dove|come|che)
after 0
    ^ , _{0,2} OTHERS (ha|dice|dicono) (detto)?
    ^ , (dice|dicono|secondo) _
    ^ (,)? o (no|sono|mi|è)
after 0 repeated
    ^ a (mia|mio|un|una|lui|lei|OTHERS)
sentence 0
    (non|niente|nulla|né|nessun) (BE|c'è|c' è|hai fatto|ha fatto|vedo|ci sono|c')? (BE)? (niente|nulla|alcun|per niente|A|nessun|così|poi)? (di)? (WRONG|MISTAKE|male)
    (niente|mica|non) (è)? male
    (potrebbe|può|forse|magari) (essere|sia|che)? (WRONG|sbagliato)
    (io|mi) (sono|sto|ero|sbaglio|sbagliavo|potrei) _? (sbagliato|sbagliata|sbagliando|confuso)?
    (correggimi|mi corregga|correggetemi|dimmi) se
    (se) (non)? (mi)? (sbaglio)
    non (ti|si) (sbagli|sbaglia|confondi)
    non HAVE (sbagliato|confuso)
sentence 0 declined wrong replacement repeated
    (non|NO) ,? (c'è|c' è|ci sono|è|ho|fa) (A|nessun|alcun|niente)? (problema|problemi|fretta|dubbio|niente|nulla|grave)
    (nessun|non c'è|nessuno) (problema|dubbio)
    NO ,? (grazie|ti preoccupare|si preoccupi|importa|serve|occorre|tranquillo|tranquilla|niente|figurati|va bene|tutto bene|tutto|a posto|è tutto|basta così|so|credo|fa niente|nulla)
    ^ NO , (questo|così|va|è|sono|per ora) (è|va|tutto|basta)? _? FINE
    NO ,? (vai avanti|vada avanti|continua|continui|procedi|prosegui|vai pure)
sentence 0 replacement
    START non (ancora|adesso|ora|oggi|sempre|troppo)
    START (OTHERS) (ha|hanno|aveva)? SAY
message 0 wrong misunderstood declined dissatisfied
    HAVE ragione !ma
    ^ (è|va) (corretto|perfetto|vero|giusto|bene) ,
"""

ITALIAN = PhraseTable(
    "it",
    CLASSES,
    PHRASES,
    GUARDS,
    spoken=SPOKEN,
    fillers=FILLERS,
    common=COMMON,
    endings={"INF": "are ere ire arti erti arlo erlo arsi armi armi irlo"},
    elides=True,
)
