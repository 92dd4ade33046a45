"""How Spanish speakers correct an assistant (tú, usted, vos), and what only looks like it."""

from seasoned.corrections.languages.table import PhraseTable

CLASSES = {
    "AND": "y e pero porque pues puedes puede podrías podés que cómo por",
    "APART": "no es está son fue era si cuando porque que me te se lo yo ella vale bueno ok",
    "NO": "no nop nope nah nel noo nooo nooooo nanai",
    "ESO": "eso esto aquello ese este esa esta esos estos lo ello",
    "BE": "es está son están fue era estaba eran parece suena sea será estás estuvo sigue siguen",
    "HAVE": "has ha han habéis hayas haya",
    "A": "un una el la los las algún alguna mi tu su otro otra unos unas ningún",
    "WRONG": "desactualizado desactualizada obsoleto obsoleta anticuado anticuada mal incorrecto incorrecta incorrectos incorrectas equivocado equivocada equivocados"
    " equivocadas falso falsa erróneo errónea erróneos errado errada mentira absurdo inventado"
    " inventada erroneo",
    "RIGHT": "correcto correcta correctos correctas cierto cierta verdad exacto exacta así bien",
    "YOU": "tú usted vos ud ustedes uds",
    "MISTAKE": "error errores fallo fallos equivocación equivocaciones errata erratas confusión",
    "ERR": "equivocas equivocaste equivoca equivocó equivocás equivocan equivocando equivocaron"
    " confundes confundiste confunde confundió confundís confundiendo equivocado equivocada"
    " confundido confundida equivocar",
    "ANSWER": "respuesta respuestas resultado resultados traducción cálculo dato datos información"
    " solución comando código resumen explicación fórmula salida orden contestación",
    "THING": "ANSWER archivo fichero cosa nombre fecha hora número lugar persona manera forma opción"
    " carpeta rama página dirección idioma formato función versión enlace palabra pregunta canción",
    "ASKED": "pedí pido dije digo quería quiero quise pregunté pregunto buscaba busco necesito"
    " necesitaba solicité pedía esperaba mencioné indiqué pedido dicho preguntado querido escribí"
    " refería",
    "SAY": "dijo dice dicen dijeron diciendo decía piensa piensan cree creen opina opinan afirma"
    " afirman asegura sostiene comentó comentan insiste contó cuenta escribió pensaba creía",
    "OTHERS": "él ella ellos ellas profesor profesora profe maestro maestra jefe jefa amigo amiga"
    " compañero compañera madre padre mamá papá hermano hermana esposa esposo marido mujer novio"
    " novia cliente gente alguien todos nadie abogado médico doctor colega hijo hija tío primo"
    " usuario usuarios autor vecino equipo personaje",
    "THINGS": "documentación manual compilador linter test tests consola registro terminal wikipedia"
    " página libro calculadora",
    "USE": "usa use usá usad usen utiliza utilice utilizá emplea emplee pon ponga poné pongan haz haga"
    " hacé escribe escriba escribí llama llame llamá prueba pruebe probá elige elija elegí di diga"
    " decí responde responda respondé contesta conteste contestá pone traduce traduzca devuelve"
    " devuelva cambia cambie cambiá muestra muestre mostrá abre abra manda envía envíe deja déjalo"
    " dame deme ejecuta ejecute corre busca busque reserva reserve toma tome formatea llámame"
    " llámalo ponlo hazlo escríbelo úsalo añade agrega añada agregue quita quite incluye",
    "DONT": "uses use usés usen utilices utilice utilicés hagas haga hagás pongas ponga pongás agregues"
    " agregue agregués añadas añada añadás borres borre borrés elimines elimine cambies cambie"
    " cambiés toques toque toqués inventes invente inventés digas diga digás escribas escriba"
    " escribás respondas responda respondás contestes conteste traduzcas traduzca resumas resuma"
    " repitas repita repitás asumas asuma supongas suponga expliques explique modifiques modifique"
    " llames llame llamés mandes mande envíes envíe incluyas incluya mezcles mezcle metas meta"
    " quites quite ignores ignore pidas pida preguntes pregunte empieces empiece termines termine"
    " interrumpas vuelvas vuelva volvás disculpes disculpe trates trate mientas mienta"
    " sugieras sugiera saltes salte omitas omita toqués hables hable seas subas",
    "STOPPED": "deja deje dejá dejen para pare pará paren basta dejes",
    "MISSED": "olvidaste olvidó olvidas olvidado olvidándote ignoraste ignoró ignoras ignorando"
    " omitiste omitió saltaste saltó dejaste faltó",
    "LISTEN": "entiendes entendiste entiende entendió entendés entendido entendiendo escuchas"
    " escuchaste escucha escuchás escuchando leíste lees leyó leés leyendo comprendes comprendiste"
    " comprende captas respondes respondiste responde respondió contestaste enteras",
    "TOLD": "dije dicho digo pedí pedido expliqué explicado mencioné mencionado repetí repetido avisé"
    " avisado advertí aclaré comenté escribí indiqué decía diciendo pidiendo repitiendo",
    "OK": "problema gracias pasa preocupes preocupe preocupés importa hace falta prisa todo nada duda"
    " necesito quiero gracias sé creo más",
    "FINE": "bien perfecto todo correcto genial vale ok excelente suficiente necesario listo",
    "ORDINAL": "segunda tercera cuarta quinta enésima décima última",
    "SWEAR": "mierda joder carajo coño maldición demonios puta chingada hostia",
}

SPOKEN = {
    "xq pq xke porq": "por que",
    "q k ke": "que",
    "d": "de",
    "tb tmb": "tambien",
    "tas": "estas",
    "ta": "esta",
    "equibocas ekivocas": "equivocas",
    "stas": "estas",
    "grax": "gracias",
}

FILLERS = """muy totalmente completamente realmente simplemente claramente obviamente absolutamente
eh ehh mmm mm hmm em oye oiga mire che jaja jajaja jeje wey güey favor
solo sólo además literalmente bastante directamente definitivamente
sinceramente francamente específicamente expresamente explícitamente justamente ay hey hola"""

COMMON = """es esta son que de la el los las un una y o a en lo me te se por para con si yo tu su mi eso
esto al del como pero mas bien ser ha has muy cuando donde hay sobre entre también solo porque
cada dos hola gracias bueno día tengo tiene puede puedes podrías algo nada todo todos hacer hace
decir gusta quiero quieres quiere necesito favor este ese aquí ahora después antes desde hasta
sin durante qué quién cómo dónde cuál años vez cosas cosa gente vida casa tiempo nos les él ella
ellos nosotros usted fue era estaba soy eres somos estoy estás sido estar tener poder ir voy va
vamos ver dar sé sabe saber creo poner usar inventar escribir borrar cambiar código archivo
respuesta idioma palabra mañana hoy mejor otro otra uno tres mismo mientras aunque según tampoco
ya le mis tus sus unas unos"""

PHRASES = """
wrong .93
    ESO BE (A|todo)? WRONG
    ESO no BE (del|A)? todo? RIGHT
    (te|se) ERR
    (te|se) (estás|está) ERR
    (te|se) HAVE ERR
    (estás|está|estáis) (equivocado|equivocada|confundido|confundida)
    (estás|está) (alucinando|mintiendo|inventando|confundiendo)
    (te|se) (lo)? (estás|está|has|inventaste|inventas|inventó) (inventando|inventado|inventaste)?
    (te|se) lo (inventaste|inventas|inventó|inventás)
    HAVE (cometido|hecho) (A) MISTAKE
    (cometiste|cometió|hiciste|tienes|tenés|tiene) (A|varios) MISTAKE
    (lo|la|los|las)? (hiciste|hizo|haces|hace|hacés|entendiste|escribiste|tradujiste|calculaste|pusiste|leíste|contaste|sumaste) (todo)? mal
    HAVE (hecho|entendido|escrito|traducido|calculado|puesto|leído) _{0,3} mal
    (tu|esa|esta|su) _? ANSWER (no)? BE (WRONG|RIGHT|errónea)
    no BE la? (ANSWER|THING) RIGHT
    ANSWER (incorrecta|equivocada|errónea|incorrecto|equivocado|erróneo) $
    hay (A|varios|muchos) MISTAKE en (tu|lo|A) _
    la (cagaste|regaste|liaste|fastidiaste)
    metiste la pata
wrong .9
    (ESO|tu|su|tus) _{1,2} BE (WRONG|incorrecto)
    ESO _{1,2} no BE RIGHT
    (borraste|abriste|usaste|elegiste|cambiaste|pusiste|mandaste|editaste|leíste|tomaste|reservaste|borró|usó) (A) _ (equivocado|equivocada|incorrecto|incorrecta|que no era)
    (respondiste|contestaste|respondió) (a)? (otra|otro) _
    así no (BE|se) _?
    no se (escribe|dice|hace|llama|usa|pronuncia) así
    (BE|estás|está) (confundiendo|mezclando) _
    (te|se) (lo|la|los|las) (saltaste|salteaste|olvidaste|comiste|saltó|olvidó)
    (ESO|ese|esa) _{0,2} no existe
    (BE|es|está) (al revés|lo contrario)
    (ESO|esa|ese) BE A _ (equivocado|equivocada|incorrecto|incorrecta)
    (tu|su|esa|esta) _{1,2} no BE (actualizado|actualizada|al día)
    (confundiste|mezclaste|confundes|confundís|confundió) _
    ^ (ni (de cerca|de lejos|por asomo)) ($|END)
    (se) te (olvidó|olvidaron|pasó|escapó|olvida) _
    (lo|la)? (entendiste|entendió|entendés|interpretaste|entiendes) (todo)? (al revés|mal)
wrong .86
    ^ (NO ,?)? WRONG $
    ^ (NO ,?)? (eso|esto|así) no (BE|$|,)
    NO , (eso|así|ese|esa) (no|tampoco)
    ^ no (BE|era) (eso|así|esto|ese|esa|correcto|cierto|verdad|correcta)
    (sigue|siguen|continúa) (estando)? (mal|sin|fallando|incorrecto|igual)
    (eso|esto) no (BE|tiene) (A)? (así|posible)
    ESO (sigue|está) (siendo)? WRONG
wrong .85 asked
    por que (dices|decís|dice) que no (puedes|podés|puede)
wrong .75
    ^ BE WRONG !(que|si)
    ^ (el|la|los|las|A) (THING|ANSWER) BE WRONG
    (eso|esto|así) no (funciona|funcionó|sirve|sirvió|ayuda|va|vale)
    (todavía|aún|sigue) (no|sin) (funciona|funcionar|compila|compilar|anda|andar|va)
    (corrige|corrija|corregí|arregla|arregle|arreglá|corrígelo|arréglalo|corregilo) (eso|esto|lo|tu|$)
    (deshaz|deshacé|deshaga|revierte|revierta) (eso|lo|esto|el|A|$)
    no estoy de acuerdo
    no creo que (eso|esto|sea|ESO) _? (RIGHT|así)
    no (deberías|debiste|debías|debería|debió|tenías) (haber|que|hacer|borrar|tocar|cambiar)
    (deberías|debiste|debías|tenías) (haber|que)
    ^ (A)? THING (equivocado|equivocada|incorrecto|incorrecta|erróneo) $
    (tenías|tenía|debías|debía) que (haber|INF)
    (esa|ese|esta|este|eso) _{0,2} (es|son) (vieja|viejo|antigua|antiguo|anticuada|viejas|viejos)
    (no está|no aparece|no figura|no sale) en (el|la|mi|los) (documento|archivo|texto|artículo|lista|fichero|informe|datos)
    (dijiste|pusiste|escribiste|dijo usted|contestaste) (que)? _{1,10} pero _
    (ese|esa|eso|este|esta) no (es|era) (mi|mío|mía|el mío|la mía) _?
    creo que (el|la|los|las|tu|eso|ese|esa) _{0,2} BE WRONG
wrong .62 asked
    por que (me)? (respondes|contestas|escribes|hablas|usas|pones|tuteas|llamas|respondiste|contestaste|escribiste|hablás|usás|ponés|responde|contesta|respondés) _
    de donde (lo)? (sacaste|sacas|sacás|sacó|has sacado)
wrong .62 objects
    (ese|esa|este|esta|tu|el|la) _{1,2} no (funciona|compila|abre|sirve|carga|corre|anda|existe)
wrong .6 asked
    por que (borraste|eliminaste|cambiaste|usaste|ignoraste|quitaste|tocaste|hiciste) _
    (quién|quien) te (dijo|pidió|mandó) que
wrong .5
    START SWEAR SWEAR? END
replacement .93
    (te)? (dije|pedí|quería|quise|pregunté|escribí|necesitaba|solicité) (por|que|decir|usar|usaras)? <wanted> ,? (y)? no <unwanted> $
    (me refería|hablaba|preguntaba) (a|de|por|al|del) <wanted> ,? (y)? no (a|de|por|al|del)? <unwanted> $
    USE <wanted> ,? (y)? (no|nunca) <unwanted> $
    USE <wanted> (en vez de|en lugar de|en vez del|en lugar del) <unwanted> $
    no USE? DONT <unwanted> ,? (sino|mejor|y|pero)? USE <wanted> $
    no (uses|use|pongas|utilices|usés) <unwanted> ,? sino <wanted> $
    (debería|debe|tiene que|tenía que|debía|debió) (ser|decir|haber|estar) (sido)? <wanted> ,? (y)? (no|en vez de|en lugar de) <unwanted> $
    no (te)? (dije|pedí) <unwanted> ,? (sino|dije|pedí|te dije|te pedí) <wanted> $
    (BE|era) <wanted> ,? (y)? no <unwanted> $
    no (BE|era) <unwanted> ,? (sino|es|son|era|BE) <wanted> $
    (no) ,? con <wanted> ,? no con <unwanted> $
    me llamo <wanted> ,? (y)? no <unwanted> $
    (mi|el) (nombre|apellido|correo|cumpleaños) BE <wanted> ,? (y)? no <unwanted> $
    no (uses|use|pongas|utilices|usés|hagas|escribas|pongás) <unwanted> ,? (sino|mejor|y)? USE <wanted> $
replacement .9
    (te)? (pedí|dije|quería|pregunté) (por)? <wanted> (y|pero|,) (y|pero)? me (diste|has dado|dio|pusiste|mandaste|das|devolviste) <unwanted> $
replacement .8
    ^ (NO ,?) USE (mejor)? <wanted> $
    NO , mejor <wanted> $
    NO , (te)? (dije|pedí|quería|quiero|quise) (decir)? <wanted> $
    NO , (eso|esto|el|la)? _{0,2} (debería|debe|tiene) (que)? (ser|estar|decir) <wanted> $
    (lo|A|la|el) (correcto|correcta) (BE|sería) <wanted> $
    (A|la|el) (ANSWER|THING) (correcta|correcto) (BE) <wanted> $
    (usaste|pusiste|escribiste|elegiste|usó) <unwanted> (en vez de|en lugar de|y no|y era|pero era) <wanted> $
replacement .75
    NO , (NO ,)? (el|la|los|las) (otro|otra|otros|primero|primera|segundo|segunda|último|última|anterior|siguiente) _?
replacement .7
    ^ (en realidad|de hecho) ,? (_{1,3})? (es|son|era|fue|está) <wanted> $
    (lo|la|los|las)? (quiero|quería|necesito|necesitaba|prefiero) (en|con)? <wanted> ,? (y)? no (en|con)? <unwanted> $
    NO , _{1,2} en <wanted> ,? (y)? no en <unwanted> $
replacement .7 answers
    NO , (es|son|era|está) <wanted> $
replacement .66
    ^ (NO ,)? se (escribe|llama|dice|pronuncia) <wanted> $
replacement .6
    START no (A|ESO)? <unwanted> ; (A|ESO|sino)? <wanted> END
replacement .6 objects
    (el|la|los|las|ESO) _{0,2} (debería|debe|tendría que|debería de) (ser|estar|decir) <wanted> $
    START <wanted> (en vez de|en lugar de|en vez del|en lugar del) <unwanted> END
replacement .58 answers
    START (NO ,)? <wanted> , no <unwanted> END
replacement .45 answers
    ^ <wanted> , no <unwanted> $
misunderstood .93
    no BE A? (que|cual) (yo|te|le|os)? (te|le|había|he|estoy|estaba)? (ASKED|pidiendo|buscando|diciendo|preguntando)
    no BE lo que (yo|te|le)? (te|le|había|he|estoy|estaba)? (ASKED|pidiendo|buscando|diciendo|preguntando|quise)
    no (BE|fue|era) (eso|esto|así) (lo)? (que)? (yo|te|le)? (ASKED|quise)
    (yo|NO ,?)? no (te|le|he|había|os)? (pedí|pedido|dije|dicho|pregunté|preguntado|solicité) (que)? (ESO|nada|eso|por|que|A|tal)
    (nunca|jamás) (te)? (dije|pedí|mencioné|he|dicho|pedido) (eso|esto|que|nada|tal|A|dicho|pedido)
    (eso|esto) (no|nunca|jamás) (te|le)? (lo)? (dije|pedí|pregunté|quería|necesito)
    no me (estás|está|estáis|HAVE)? LISTEN
    me (HAVE)? (entendiste|entendido|malinterpretaste|entendió|malinterpretas|malentendiste|malinterpretó) (mal|$|,)
    (malinterpretaste|malentendiste|malinterpretas) _
    (entendiste|entendió|entiendes|HAVE entendido) mal
    no (HAVE)? (entendiste|entendió|entendido|entendés|leíste|leyó|leído|respondiste|contestaste|respondes|respondió|comprendiste|captaste) (mi|lo|la|el|nada|bien|A|a)
    no (BE|responde|contesta) (mi|a mi|a lo) (pregunta|que)
    no (responde|contesta|respondiste) (a)? (mi|la) pregunta
misunderstood .88
    (ni|no) (siquiera|me)? (leíste|leyó|escuchaste|lees|leés) (mi|lo|el)
    (te|le) (faltó|faltaron|falta) (INF|A|los|las)
    (vos|tú|usted) no (entendés|entiendes|entiende) _
misunderstood .85
    (lee|leé|lea|relee|releé|relea|fíjate) (bien|otra vez|de nuevo|con atención|en)? (lo que|mi|el) _
    (presta|presté|prestá|preste|pon|ponga|poné) (más)? atención
misunderstood .8 asked
    (leíste|leíste|leyó|escuchaste|entendiste|HAVE leído) (lo|mi|bien|siquiera|A) _
    no (leíste|escuchaste|entendiste|me escuchas|me entiendes|lees)
misunderstood .78
    no (me|lo|la|los|las|le)? PAST2 (A|lo|mi|la|el|nada|todo|bien|los|las|que|el|_)
    (sigues|seguís|sigue) sin (INF|entender|comprender|leer)
misunderstood .7
    (te|se) (HAVE)? (olvidaste|olvidó|olvidado|olvidas|saltaste|saltó|saltado|comiste) (de)? (A|lo|que|del|poner|incluir|de|mi|la)
    (ignoraste|ignoró|omitiste|omitió|ignoras|HAVE ignorado) (lo|mi|A|la|el|que)
    (me refiero|me refería|hablaba|preguntaba) (a|de|por|al|del) <wanted> $
    (quise|quería) decir <wanted> $
misunderstood .62 objects
    (falta|faltan|faltó|faltaron) (el|la|los|las|un|una) _
repeated .92
    (ya|YOU)? (te|le|os|se) (lo|la)? (he|había)? (ya)? (dije|dicho|pedí|pedido|expliqué|explicado|repetí|repetido|avisé|aclaré|decía) (que|ya|antes|mil|varias|dos|tres|muchas|no|arriba|$|,|veces|cien|A)
    ya (te|lo|le|se|os) (lo|la)? (he|había)? (TOLD)
    (cuántas|cuantas) veces (te|tengo|más|se|lo|hay|le|debo)
    (te|se|lo) (he|tengo) (lo)? (dicho|pedido|repetido|repetir|decir) _{0,2} (veces|otra|mil)
    (te|se)? (lo)? (repito|recuerdo) (,|que|$|por)
    (sigues|seguís|sigue|vuelves|volvés|volviste|volvió) (a)? (sin)? (GERUND|INF)
    (siempre|otra vez) (haces|hacés|cometes|hace|hiciste|cometiste) (lo|el) mismo
    (por)? (enésima|segunda|tercera|última|cuarta) vez
    otra vez (mal|lo|el|te|con|igual|has|hiciste|la) _?
    el mismo MISTAKE (de|otra|que|$)
    lo (has|hiciste|volviste) _{0,2} (otra vez|de nuevo) $
repeated .9
    (ORDINAL|segunda|tercera|cuarta|quinta|enésima) vez que (te|se|lo|le|yo)
    ya (te|le) (había|he) (avisado|advertido|dicho)
    (te|le|os|se) (lo)? (acabo|acababa) de (decir|pedir|explicar|decirlo)
    (te|le)? (lo)? acabo de (decir|decirte|decirle|pedirte|explicarte|pedir)
    (te|le) (pedí|dije|había pedido|he pedido) que (no|me|lo|la|DONT|_)
    ya (te|le|os) (lo|la|los)? (di|mandé|envié|pasé|puse|escribí|mostré|he dado|he enviado|he mandado)
repeated .85 asked
    (cuántas|cuantas) veces (te|tengo|más|se|lo|hay|le|debo)
    no (te)? (lo)? (dije|había dicho|he dicho|pedí) (ya|que|antes)
    por que (sigues|seguís|siempre|insistes|vuelves|sigue)
    (que|qué) (te)? (dije|acabo)
repeated .75
    ^ (NO ,)? te (dije|pedí|había dicho|había pedido) _
repeated .68
    como (ya)? (te|le|os)? (lo)? (he)? (dije|dicho|mencioné|decía|comenté|pedí|expliqué|mencionado|comentado)
    ^ (repito|insisto) ,
    ^ (otra vez|de nuevo|nuevamente) , (no|te|eso|usa|el|la|lo|A|es)
    ^ (NO ,?)? dije (que|A|no|con|en|sin)
    lo (mismo) (otra vez|de nuevo)
repeated .6
    START (NO ,)? (te)? dije _{1,3} END
instruction .88
    STOPPED de (GERUND|INF)
    ^ no vuelvas (a|nunca)
    (nunca|jamás) (más)? (me|te|lo|la|les)? DONT
    no (me|lo|la|te|los|las)? DONT _{0,6} (nunca|jamás|más|otra vez|de nuevo|a menos|sin)
    (no) (lo|me)? (hagas|haga|hagás) (eso|esto|más|nunca)
    (^|y|pero|NO ,) siempre (me)? (que|debes|tienes|tenés|debe|USE)
    USE siempre
    (tienes|tenés|debes|tiene|debe|debés) (que)? siempre
    (nunca|jamás) (debes|debe|tienes|deberías)
    (de|a) (ahora|partir) (en|de) (adelante|ahora|hoy) !( ,? (voy|yo|vamos|iré|me voy|estoy|tengo|mi))
    (la próxima|en el futuro|para la próxima|la siguiente vez|en adelante) (vez)? !( ,? (voy|yo|vamos|iré|que))
    no quiero que (me|lo|la|vuelvas|DONT|te)
    STOPPED de &(INF|GERUND) <unwanted> $
    (nunca|jamás) (más)? &DONT <unwanted> $
    USE siempre <wanted> $
    (^|y|pero) siempre &USE <wanted> $
    recuerda que (soy|no|mi|me|prefiero)
    (recuerda|acuérdate|acordate) (de|que) (soy|no|siempre|mi)
instruction .85
    ya no (me|lo|la)? DONT
    (le|te|les) (ruego|pido|pediría|agradecería|rogaría) (que)? no _
    (absténgase|abstente|abstenete) de _
    (ya)? basta (de|con) (las|los|la|el)? <unwanted> $
    desde (ahora|hoy|ya|este momento) !( ,? (voy|yo|vamos|me))
instruction .8 asked
    (puedes|podrías|podés|puede|podría) (dejar|parar) de
    (puedes|podrías|podés|puede|podría) no _
    (puedes|podrías|podés) (usar|poner|escribir|responder) _{1,6} (en vez de|en lugar de)
instruction .72
    (^|NO|y|pero|NO ,|por) no (me|lo|la|te|los|las|le|se)? DONT
    (^|y|pero|por) no &DONT <unwanted> $
    (basta|ya) de <unwanted> $
    (evita|evite|evitá) (GERUND|INF)
    (ya)? (no más|nada de) <unwanted> $
    prefiero que (no|me|uses|DONT)
instruction .68
    (pregunta|pregúntame|preguntame|pregunte|consulta|consúltame|avísame|avisame|confirma|preguntá) (me)? (siempre)? antes (de)
    (prefiero|preferiría|me gustan más) _{0,2} (respuestas|explicaciones|frases|textos|oraciones|resúmenes|comentarios)
instruction .66
    (ve|vaya|andá|vete|ir) (directo|derecho)? al grano
    ^ (quita|quite|quitá|elimina|sáltate|omite) (la|el|las|los) (introducción|intro|preámbulo|relleno|advertencias|disculpas)
instruction .62
    (trátame|tratame|tutéame|tuteame|háblame|hablame|hábleme|tráteme) (de|por)? (tú|usted|vos)?
instruction .6 objects
    START no quiero !(que|nada|INF) <unwanted> END
    ^ (USE|con) (menos|más) _
dissatisfied .72
    (eso|esto|lo) (no) (tiene|tenía) (ningún|nada|mucho)? (de)? sentido
    (^|eso|esto) no tiene (ningún|ni|mucho|nada)? (de|pies)? sentido
    (eso|esto|tu|así) _? no (me)? (sirve|ayuda|ayudó|sirvió) (de|para|a)? nada?
    (eres|sos|es) (inútil|un inútil|inservible|tonto|idiota)
    no (me)? (estás|está) ayudando
dissatisfied .68 asked
    de que (hablas|estás|está|habla|hablás|me hablas)
    (que|qué) (demonios|carajo|mierda|coño|diablos|narices)
dissatisfied .64
    ^ (es|está|eso es|esto es|quedó|demasiado|es demasiado|está demasiado|quedó demasiado) (largo|larga|corto|corta|formal|informal|complicado|complicada|genérico|genérica|técnico|técnica|extenso|vago|repetitivo)
dissatisfied .55 asked
    ^ (a)? que (te refieres|quieres decir|querés decir|te referís|se refiere) $
    ^ como que _
dissatisfied .42 asked
    ^ (estás|está|estás) (seguro|segura|seguro)
    (prueba|intenta|revisa|busca|mira|inténtalo|intentá|fíjate) (lo)? (otra vez|de nuevo)
dissatisfied .4
    ^ (olvídalo|olvidalo|olvídelo|déjalo|dejalo|da igual|no importa) END
amended .35
    (espera|perdón|uy|disculpa|perdona|corrijo|digo) ,? (espera|perdón|no)? ,? (quise|quería|quiero) decir
    NO , (espera|perdón|disculpa|perdona) ,? (quise|quería) decir
    (me) (equivoqué|confundí|expresé|expliqué|he equivocado|he confundido)
    (mi|fue|es) (error|culpa|fallo) (mío|mía|$|,)
    (fallo|error|culpa) (mío|mía)
    (cambié|he cambiado) de (opinión|idea)
declined .4
    START NO END
declined .35
    START NO ,
declined .25
    START NO (la|el|yo|quiero|necesito|me|lo|A)
"""

GUARDS = """
before 0
    OTHERS _{0,3} (me|le|te|se|nos|les)? SAY
    (dicen|dijeron|dice|comentan|aseguran|opinan|creen|piensan) que
    me (dijo|dijeron|contó|comentó|avisaron|han dicho|ha dicho)
    (según|leí|oí|escuché|supuestamente)
    ^ (si|cuando|aunque) !,
    (dime|decime|avísame|saber|ver|sé|pregunto|incluso|revisa|comprueba|verifica) si
    (en caso|suponiendo|imagina|imaginemos|supongamos|como si|a ver)
    (traduce|traduzca|traducir|traduces|frase|oración|palabra|canción|poema|título|titulado|cuento|diálogo|escribe un|personaje|significa|dile|decirle|mándale|envíale|tuitea|recuérdame)
    (sé|sabía|pensé|pensaba|creí|creía|temo) que
    no (estoy seguro|estoy segura|sé|digo|significa|quiere decir|quiero decir)
    (haber|gracias)
    (dije|conté|digo|decir) a (mi|un|una|la|el|los|las) _{1,2} que
    (correo|mail|email|carta|mensaje|nota) _{0,2} (diciendo|que|donde|para)
    (diciendo) que
before .75
    THINGS _{0,2} SAY
before 0 instruction
    (OTHERS|siempre) _{0,2} SAY
    (yo|nosotros) _{0,2} $
before 0 wrong misunderstood repeated dissatisfied replacement instruction
    (OTHERS|nosotros) _? $
before 0 repeated
    (ayer|anoche|anteayer|luego|entonces|siempre)
before 0 wrong misunderstood
    (pensaba|pensé|creía) que
clause 0 question
    ^ (por que|cuál|quién|dónde|cómo sé|qué parte|qué hay)
    (dime|decime|explica|explícame|explicame|verifica|comprueba|revisa|avísame|avisame|saber|entender|confirma|confírmame|indica|señala) _{0,3} (si|por|qué|que|cuál|dónde|cómo|lo)
after 0
    ^ , _{0,2} (OTHERS|él|ella) (dijo|dice|dijeron)
    ^ , (me)? (dijo|dijeron) _
    ^ , (según)
    ^ (,)? o (no|estoy|me|está|qué)
after 0 repeated
    ^ a (mi|un|una|la|el|los|las|OTHERS)
sentence 0
    (no|ni|nada|tampoco|nunca) (BE|hay|hiciste|hizo|tiene|has hecho|veo|tan|nada)? (nada|nada de|tan|A|ningún)? (WRONG|MISTAKE)
    (nada|menos|tan) mal
    (puede|podría|quizá|quizás|tal vez) (que)? (estar|ser|esté|sea|me)? (WRONG|equivoque|equivocado)
    (yo|me) (estoy|estaba|estuve|equivoqué|equivoco|confundo|equivocaba)
    (corrígeme|corrigeme|corríjame|perdona|avísame) si
    no (te|se) (equivocas|equivoca|equivocaste|equivocás|confundes)
sentence 0 declined wrong replacement repeated
    NO ,? (hay|es|tengo) (A|ningún|nada)? (problema|prisa|duda|nada|pena|bronca|drama|falta)
    NO ,? (gracias|pasa|te preocupes|se preocupe|te preocupés|importa|hace falta|tranquilo|tranquila|nada|todo|ya está|es todo|está bien|creo|es necesario|era nada|es nada|fue nada|me importa)
    NO ,? (lo)? sé ($|que|si|cómo|cuál|dónde|nada)
    ^ NO , (eso|esto|así|con eso|está|todo|lo|es) (es|está|fue|era)? _? FINE
    NO ,? (adelante|sigue|siga|continúa|continúe|dale|seguí|prosigue)
sentence 0 instruction
    (deje|deja) de _{1,6} (pasado|pasada|ayer|hace|anteayer|cuando)
    no me (digas|diga)
sentence 0 replacement
    START (OTHERS|yo le) _? SAY
message 0 wrong misunderstood declined dissatisfied
    (tienes|tenés|tiene|tenías|llevas) (toda)? (la)? razón !pero
    ^ (eso|esto)? (es|está) (correcto|perfecto|verdad|cierto) ,
"""

SPANISH = PhraseTable(
    "es",
    CLASSES,
    PHRASES,
    GUARDS,
    spoken=SPOKEN,
    fillers=FILLERS,
    common=COMMON,
    endings={
        "PAST2": "aste iste",
        "GERUND": "ando iendo yendo ándolo ándome",
        "INF": "ar er ir arlo erlo irlo arme arla arte erte irte arse erse irse arnos arle erle",
    },
)
