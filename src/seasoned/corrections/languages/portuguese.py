"""How Portuguese speakers correct an assistant (você, tu; Brazil, Portugal), and what only looks so."""

from seasoned.corrections.languages.table import PhraseTable

CLASSES = {
    "AND": "e mas porque pois pode poderia podes que como",
    "APART": "não é está são foi era se quando porque que eu ele ela você sim ok",
    "NO": "não n nop nope nananina naum negativo",
    "ISSO": "isso isto aquilo esse este essa esta esses essas",
    "BE": "é está são estão foi era estava tá tava eh parece soa continua estás és estou fica",
    "A": "um uma o a os as meu minha teu tua seu sua outro outra algum alguma uns",
    "WRONG": "desatualizado desatualizada obsoleto obsoleta ultrapassado ultrapassada errado errada errados erradas incorreto incorreta incorrecto incorrecta incorretos falso"
    " falsa equivocado equivocada mentira absurdo inventado inventada errônea errôneo",
    "RIGHT": "certo certa correto correta correcto correcta corretos verdade exato exata exacto assim"
    " verdadeiro verdadeira bem certinho",
    "YOU": "você vc tu cê ce vocês vcs o senhor",
    "MISTAKE": "erro erros engano enganos falha falhas equívoco confusão bug",
    "ERRED": "errou erraste errando errado errada enganou enganaste enganado enganada enganando"
    " equivocou equivocado equivocada confundiu confundiste confundindo confundido trocou trocaste"
    " enganas engana confunde confundes erra",
    "ANSWER": "resposta respostas resultado resultados tradução cálculo dado dados informação solução"
    " comando código resumo explicação fórmula saída",
    "THING": "ANSWER arquivo ficheiro coisa nome data hora número lugar pessoa jeito forma maneira"
    " opção pasta ramo página endereço idioma língua formato função versão link palavra pergunta"
    " música branch tabela",
    "ASKED": "pedi peço pedia disse digo queria quero quis perguntei pergunto procurava procuro preciso"
    " precisava solicitei esperava mencionei indiquei falei pedido dito perguntado escrevi buscava"
    " quisesse",
    "SAY": "disse diz dizem disseram dizendo falou fala falam falaram acha acham acredita acreditam pensa"
    " pensam afirma afirmam garante insiste comentou contou escreveu achava pensava falava",
    "OTHERS": "ele ela eles elas professor professora chefe amigo amiga colega mãe pai irmão irmã esposa"
    " marido namorado namorada cliente gente alguém todos ninguém advogado médico filho filha tio"
    " primo usuário usuários autor vizinho equipe equipa pessoal povo personagem",
    "THINGS": "documentação manual compilador linter teste testes console log terminal wikipedia site"
    " livro calculadora",
    "USE": "use usa usem utilize utiliza utilizem empregue põe ponha coloque coloca faça faz escreva"
    " escreve chame chama tente tenta escolha escolhe diga diz responda responde traduza traduz"
    " devolva retorne retorna mude muda troque troca mostre mostra abra abre mande manda envie"
    " deixe deixa execute rode roda corre busque busca procure procura reserve pegue pega"
    " formate chame-me adicione acrescente tire inclua mantenha",
    "DONT": "use uses usem usar utilize utilizes utilizar faça faças fazer coloque coloques colocar ponha"
    " ponhas adicione adiciones adicionar acrescente apague apagues apagar delete deletes"
    " deletar elimine remova removas remover mude mudes mudar altere alteres alterar toque mexa"
    " mexas mexer invente inventes inventar diga digas dizer escreva escrevas escrever responda"
    " respondas responder traduza traduzas traduzir resuma resumas resumir repita repitas repetir"
    " assuma assumas assumir suponha explique expliques explicar modifique modificar chame chames"
    " chamar mande mandes mandar envie envies enviar inclua incluas incluir misture misturar"
    " ignore ignores ignorar peça peças pedir pergunte perguntes comece termine interrompa volte"
    " voltes peça desculpe minta sugira crie cries criar pule pular omita omitir fale fales"
    " falar seja sejas bote botes botar meta metas",
    "STOP": "pare pára para parem deixe deixa chega parar deixar cesse",
    "LISTEN": "entendeu entendeste entende entendes entendido entendendo ouvindo ouviu ouve ouves ouvir"
    " escutando leu leste lendo lê compreendeu compreende percebeste percebeu percebes perceber"
    " respondeu respondeste escutou lido",
    "TOLD": "disse dito falei falado pedi pedido expliquei explicado mencionei mencionado repeti avisei"
    " avisado esclareci comentei escrevi indiquei dizendo pedindo",
    "FINE": "bem perfeito tudo correto ótimo beleza ok excelente suficiente necessário certo só bom"
    " joia jóia pronto",
    "ORDINAL": "segunda terceira quarta quinta enésima décima última",
    "SWEAR": "merda porra caralho droga cacete caraca puta",
}

SPOKEN = {
    "naõ nao": "não",
    "q oq": "que",
    "pq": "por que",
    "tbm tb": "tambem",
    "eh": "é",
    "dnv": "de novo",
    "vlw obg brigado brigada": "obrigado",
    "pra pro": "para",
    "c": "com",
    "dum": "de um",
    "duma": "de uma",
}

FILLERS = """totalmente completamente realmente simplesmente claramente obviamente absolutamente
hum hmm ah ahn olhe cara mano véi rs kkk kkkk kkkkk haha favor então apenas até
literalmente bastante definitivamente sinceramente francamente ei oi né poxa pô
muito tão aí"""

COMMON = """é e está são que de a o os as um uma em no na do da dos das eu me te se por para com
mas mais ou meu minha seu sua isso esse essa ele ela você vc tu foi ser como já ao muito bem sem
pra tem ter quando também só cada dois olá obrigado obrigada bom boa dia tenho pode podes
poderia algo nada tudo todos fazer dizer gosto gostei quero quer queres preciso este aqui agora
depois antes desde até durante quem onde qual anos vez coisas coisa gente vida casa tempo nos
lhe eles elas nós sou és somos estou estás estar poder ir vou vai vamos ver dar sei sabe saber
acho pôr usar escrever apagar mudar código arquivo resposta língua palavra amanhã hoje melhor
outro outra três mesmo enquanto embora segundo à às aos nas num numa pelo pela dele dela isto
aquilo porque então ainda sempre nunca meus minhas seus suas teu tua era eram havia há"""

PHRASES = """
wrong .93
    ISSO BE (A|tudo)? WRONG
    ISSO BE mal !(para|pra)
    ISSO não BE A? RIGHT
    (YOU|te|se|tu)? (te|se)? (ERRED) (na|no|a|o|em|de|feio|ao|tudo|nisso|de novo|isso|outra)
    (YOU|te|se) (te|se|está|estás|tá|BE)? (errou|erraste|enganou|enganaste|enganado|enganada|equivocado|equivocada|enganas|engana|equivocou|confundiu|confundiste|confundindo|trocou)
    YOU BE WRONG
    (estás|está|tá) (enganado|enganada|equivocado|equivocada|errado|errada) $
    (está|estás|tá) (a)? (alucinando|mentindo|inventando|confundindo|alucinar|mentir|inventar|confundir|viajando)
    (YOU)? (inventou|inventaste) (isso|essa|esse|tudo|A)
    (YOU|tu)? (cometeu|cometeste|fez|fizeste|tem|tens) (A|vários) MISTAKE
    (YOU|tu|isso)? (fez|fizeste|escreveu|traduziu|calculou|leu|colocou|entendeu|interpretou|contou) (tudo|isso|o|a)? _{0,3} (errado|errada|mal)
    (tua|sua|essa|esta|a) _? ANSWER (não)? BE (WRONG|RIGHT)
    ANSWER (errada|incorreta|errado|incorreto|incorrecta) $
    (há|tem) (A|vários|muitos) MISTAKE (em|na|no|nessa|nesse|naquilo) (tua|sua|teu|seu|que|resposta|código|A|_)
    (pisou|pisaste) na bola
wrong .9
    (ISSO|tua|teu|seu|sua) _{1,2} BE (WRONG)
    ISSO _{1,2} não BE RIGHT
    (apagou|apagaste|abriu|usou|usaste|escolheu|mudou|mandou|editou|leu|pegou|reservou) (A) _ (errado|errada|incorreto|incorreta)
    (respondeu|respondeste) (a)? (outra|outro) _
    não se (escreve|diz|faz|chama|usa|pronuncia) assim
    (BE|estás|está|tá) (a)? (confundindo|misturando|confundir) _
    (enganaste|enganou|equivocaste|confundiste) (te|se)
    nada disso
    não (é|era|foi) (disso|disto|desse) que (eu)? _
    (ISSO|esse|essa) _{0,2} não existe
    YOU (inventou|inventaste|inventa) $
    (é|está|tá) (ao contrário|o contrário|o oposto|invertido)
    (ISSO|esse|essa) BE A _ (errado|errada|incorreto|incorreta|incorrecto)
    (tua|sua|essa|esta) _{1,2} não BE (atualizado|atualizada|actualizada)
    ISSO BE tudo (mal|errado)
    ^ nem (perto|de longe|de perto) ($|END)
wrong .86
    ^ (NO ,?)? (WRONG) $
    ^ (NO ,?)? (isso|assim|esse|essa) não $
    NO , (isso|assim|esse|essa|não) (não|era|é)
    ^ não (é|era|foi|está|tá) (isso|assim|esse|essa|correto|certo|verdade|correta|bem isso|esta|este)
    não (é|era|foi) (isso|assim|verdade) $
    (continua|ainda está|ainda tá|segue|permanece) (dando)? (WRONG|errado|mal|igual|falhando)
    ainda (está|tá|é) WRONG
wrong .85 asked
    por que (YOU)? (diz|dizes|fala) que não (pode|podes|consegue)
wrong .75
    ^ (está|tá) WRONG !(que|se|usar)
    ^ (o|a|os|as) (THING|ANSWER) BE WRONG
    (isso|assim|isto) não (funciona|funcionou|serve|serviu|ajuda|dá|deu|rolou|resolve|resolveu)
    (ainda|continua) (não|sem) (funciona|funcionar|compila|compilar|roda|rodar|funcionando)
    (corrige|corrija|conserta|conserte|arruma|arrume) (isso|isto|tua|sua)
    (desfaz|desfaça|reverte|reverta) (isso|o|isto|a|A)
    não concordo
    (não acho|acho) que (isso|não|ISSO|esteja|seja) _? (esteja|seja|está|é)? (RIGHT|WRONG|assim)
    (não)? (deveria|devias|devia|deverias|precisava) ter
    ^ (A)? THING (errado|errada|incorreto|incorreta) $
    (era|é) para (ter)? INF _
    (tinhas|tinha|devias|devia) (que|de) INF
    (essa|esse|esta|este|isso) _{0,2} (é|são) (antiga|antigo|velha|velho|antigas|antigos)
    não (está|consta|aparece|tá) (no|na|em|nos) (documento|arquivo|texto|artigo|lista|ficheiro|relatório|dados|minha|meu)
    (YOU)? (disse|disseste|escreveu|falou|respondeu) (que)? _{1,10} mas _
    (esse|essa|isso|este|esta) não (é|era) (o|a)? (meu|minha) _?
    (YOU)? (entendeu|entendeste|percebeste|interpretou) (tudo)? (ao contrário|errado|mal)
wrong .62 asked
    por que (YOU)? (me)? (respondeu|respondes|responde|escreveu|escreves|usou|usa|usas|respondeste|falou|está respondendo|está usando|escreve) _
    de onde (YOU)? (tirou|tiraste|tiras|tira|saiu)
wrong .62 objects
    (esse|essa|este|esta|teu|tua|seu|sua|o|a) _{1,2} não (funciona|compila|abre|carrega|roda|corre|existe)
wrong .6 asked
    por que (YOU)? (apagou|deletou|removeu|mudou|usou|ignorou|tirou|mexeu|fez|apagaste|mudaste) _
    quem (te|lhe)? (disse|pediu|mandou) (para|que|YOU|pra)
wrong .5
    START SWEAR SWEAR? END
replacement .93
    (eu)? (te)? (disse|pedi|falei|queria|quis|perguntei|escrevi|precisava|solicitei) (por|que|dizer|para|sobre|pra|usar)? <wanted> ,? (e)? não <unwanted> $
    (me referia|falava|estava falando|perguntava) (a|de|do|da|sobre|ao) <wanted> ,? (e)? não (a|de|do|da|sobre|ao)? <unwanted> $
    USE <wanted> ,? (e)? (não|nunca) <unwanted> $
    USE <wanted> (em vez de|ao invés de|no lugar de|em lugar de|em vez do|ao invés do|no lugar do|em vez da|ao invés da|no lugar da) <unwanted> $
    não DONT <unwanted> ,? (mas|e|sim|e sim)? USE <wanted> $
    não DONT <unwanted> ,? (e sim|mas sim) <wanted> $
    (deveria|deve|tem que|tinha que|devia|tem de) (ser|dizer|ter|estar) (sido)? <wanted> ,? (e)? (não|em vez de|ao invés de) <unwanted> $
    não (te)? (disse|pedi|falei) <unwanted> ,? (mas|e sim|eu)? (disse|pedi|falei|sim)? <wanted> $
    (é|era|são) <wanted> ,? (e)? não <unwanted> $
    não (é|era|são) <unwanted> ,? (mas sim|e sim|mas|é|são|era) <wanted> $
    com <wanted> ,? não com <unwanted> $
    (me chamo|chamo-me) <wanted> ,? (e)? não <unwanted> $
replacement .9
    (eu)? (te)? (pedi|disse|queria|perguntei|falei) (por)? <wanted> (e|mas|,) (e|mas)? (YOU)? me (deu|deste|mandou|mandaste|dá) <unwanted> $
replacement .8
    ^ NO , (melhor)? USE (melhor)? <wanted> $
    NO , (eu)? (te)? (disse|pedi|falei|queria|quis) (dizer)? <wanted> $
    NO , (isso|o|a)? _{0,2} (deveria|deve|tem) (que)? (ser|estar|dizer) <wanted> $
    (o|a) (certo|correto|certa|correta) (é|seria) <wanted> $
    (o|a) (ANSWER|THING) (correta|correto|certa|certo) (é|são) <wanted> $
    (usou|usaste|colocou|escreveu|escolheu|pôs) <unwanted> (em vez de|ao invés de|no lugar de|e não|mas era) <wanted> $
replacement .75
    NO , (NO ,)? (o|a|os|as) (outro|outra|primeiro|primeira|segundo|segunda|último|última|anterior) _?
    NO , (_ ,)? eu (disse|falei|pedi) _
replacement .7
    ^ na verdade ,? (_{1,3})? (é|são|era|foi|está) <wanted> $
    (eu)? (quero|queria|preciso|precisava|prefiro) (em|com)? <wanted> ,? (e)? não (em|com)? <unwanted> $
    NO , _{1,2} em <wanted> ,? (e)? não em <unwanted> $
replacement .7 answers
    NO , (é|são|era|está) <wanted> $
replacement .66
    ^ (NO ,)? (se escreve|escreve-se|se chama|chama-se|se diz|diz-se|se pronuncia) <wanted> $
replacement .6
    START não (A|ISSO)? <unwanted> ; (A|ISSO|mas)? <wanted> END
replacement .6 objects
    (o|a|os|as|ISSO) _{0,2} (deveria|deve|devia|tinha que|teria que) (ser|estar|dizer) <wanted> $
    START <wanted> (em vez de|ao invés de|no lugar de|em vez do|em vez da) <unwanted> END
replacement .58 answers
    START (NO ,)? <wanted> , não <unwanted> END
replacement .45 answers
    ^ <wanted> , não <unwanted> $
misunderstood .93
    não (é|era|foi|está) (bem|exatamente)? (isso|isto|o|aquilo|esse|essa)? (o)? que (eu)? (te|lhe|havia|tinha|estou|estava)? (te)? (ASKED|pedindo|procurando|dizendo|perguntando|falando)
    (eu)? não (te|lhe|havia|tinha)? (pedi|disse|falei|perguntei|pedido|dito|solicitei) (ISSO|nada|por|que|para|A|tal|pra)
    (eu)? (nunca|jamais) (te|lhe)? (disse|pedi|falei|mencionei|perguntei) (isso|isto|que|nada|tal|A|para|pra)
    (isso|isto) (eu)? (não|nunca) (te)? (disse|pedi|falei|perguntei|queria)
    não (me|estás|está|tá)? (me|a)? (estás|está|tá)? (me|a)? (LISTEN) (me|$|,|o|a|nada|direito|mim|bem|minha|meu|do|aquilo)
    não (YOU)? (me)? (entendeu|entendeste|percebeste|compreendeu)
    (me)? (entendeu|entendeste|percebeste|interpretou|percebeu) (me)? (mal|errado|tudo)
    não (respondeu|respondeste|responde) (à|a|minha|ao|o) _
    não (era|é|foi) (essa|esta|a)? (minha)? (pergunta|questão)
misunderstood .88
    (nem|não) (sequer)? (leu|leste|ouviu|ouviste) (a|o|minha|meu)
    (faltou|faltaram) (INF|A|os|as)
    (tu|você|vc) não (percebes|entendes|entende|percebe) _
misunderstood .85
    (lê|leia|releia|relê) (bem|direito|de novo|outra vez|com atenção)? (o que|minha|a minha|meu|a) _
    (presta|preste) (mais)? atenção
misunderstood .8
    (eu)? não (te)? pedi (explicação|explicações|_{1,3} END)
misunderstood .8 asked
    (YOU|tu)? (leu|leste|ouviu|ouviste|entendeu|chegou a ler) (o que|a minha|minha|mesmo|sequer|direito)
    não (leu|leste|ouviu|ouviste|entendeu) (o|a|minha|direito)
misunderstood .78
    YOU não (incluiu|colocou|adicionou|usou|seguiu|corrigiu|mudou|alterou|traduziu|verificou|terminou|mencionou|salvou|fez|pôs|removeu|tirou|respeitou|considerou) _
    não (PAST2) (o|a|os|as|nada|tudo|bem|isso|minha|meu|_)
misunderstood .7
    (YOU|te|se)? (te|se)? (esqueceu|esqueceste|pulou|omitiu|ignorou|saltaste|ignoraste) (de|o|a|do|da|que|minha|meu|tudo|A)
    (eu)? (me referia|falava|estava falando|perguntava) (a|de|do|da|sobre|ao|à) <wanted> $
    (eu)? (quis|queria) dizer <wanted> $
misunderstood .62 objects
    (falta|faltam) (o|a|os|as|um|uma) _
repeated .92
    já (te|lhe|o)? (tinha|havia)? (TOLD)
    (eu)? (te|lhe) (já)? (disse|falei|pedi|expliquei|avisei) (que|já|antes|mil|várias|para|pra|não|$|,|isso)
    quantas vezes
    (eu)? (te|lhe)? (já)? (disse|falei|pedi|expliquei) _{0,3} (vezes|antes)
    (YOU)? (continua|continuas|insiste|volta|voltou|segue) (a|em|sem)? (GERUND|INF)
    (sempre|outra vez|de novo) (faz|fazes|comete|cometeste|fez|fizeste) (o|a) mesm
    pela (enésima|segunda|terceira|última|quarta|milésima|milionésima) vez
    (outra vez|de novo) (errado|errada|o|a|isso|errou|igual|com|mal) _?
    (o)? mesmo MISTAKE
    (fez|fizeste|errou|erraste|apagou|usou|mudou|ignorou|esqueceu) _{0,3} (outra vez|de novo|novamente) $
    (vou|tenho) (que|de|ter)? (que|de)? repetir
repeated .9
    ORDINAL vez que (te|se|o|lhe|eu)
    já (te|lhe)? (tinha|havia)? (avisado|avisei|alertado)
    acabei de (te|lhe)? (dizer|falar|pedir|explicar|dizer-te)
    (eu)? (te)? (pedi|falei|disse) (especificamente|expressamente|explicitamente) (para|que|_)
    já (te|lhe|o)? (dei|enviei|mandei|passei|mostrei|escrevi)
repeated .85 asked
    quantas vezes (eu|vou|tenho|preciso|mais|já)
    (eu)? não (te)? (disse|falei|pedi) (já|que|isso|para|pra)
    por que (YOU)? (continua|continuas|sempre|insiste|ainda|volta)
    (o)? que (foi)? (que)? (eu)? (acabei|te disse|te falei)
repeated .8
    (YOU)? (fica|ficas|vive|vives) (me)? GERUND _
repeated .7
    ^ (NO ,)? (eu)? (disse|falei|pedi) (menos|mais|máximo|no máximo|só|sem|pelo menos) _
repeated .68
    como (eu)? (já)? (te)? (disse|falei|mencionei|pedi|expliquei|comentei|tinha|havia)
    ^ (repito|insisto|repetindo) ,
    ^ (outra vez|de novo|novamente) , (não|eu|isso|use|usa|o|a|é)
    ^ (NO ,)? eu? (disse|falei|pedi) (que|para|A|não|com|em|sem|pra)
    (a mesma coisa|o mesmo) (outra vez|de novo)
repeated .6
    START (NO ,)? (eu)? (disse|falei) _{1,3} END
instruction .88
    STOP de (GERUND|INF|me|se|te|ficar|pedir)
    para com (isso|os|as|esses|essas)
    ^ não (volte|voltes|torne) a
    (nunca|jamais) (mais)? (me|te|o|a)? DONT
    não (me|o|a|te|os|as|se)? DONT _{0,6} (nunca|jamais|mais|outra vez|de novo|novamente|sem)
    não (faça|faças|faz|façam) (isso|isto|mais|nunca)
    (^|e|mas|NO ,) sempre (me)? (que|deve|deves|USE|tem|DONT)
    USE sempre
    (tem|tens|deve|deves|precisa) (que|de)? sempre
    (daqui para|de agora|de hoje|daqui em|a partir) (para|em|de)? (frente|agora|diante|hoje|adiante) !( ,? (vou|eu|vamos|irei|estou|tenho))
    doravante !( ,? (vou|eu|vamos))
    (da|na) próxima (vez)? !( ,? (vou|eu|vamos|irei|que))
    (no futuro|futuramente) , (USE|não|sempre|me|DONT)
    (eu)? não quero que (YOU)? (me|o|a|DONT)
    STOP de &(INF|GERUND) <unwanted> $
    (nunca|jamais) (mais)? &DONT <unwanted> $
    USE sempre <wanted> $
    (^|e|mas) sempre &USE <wanted> $
    (lembra|lembre|lembra-te) (se)? (de)? que (sou|eu|não|meu|prefiro)
instruction .85
    para de (dar|INF) _
    (peço|pedia|pediria|gostaria) (-lhe|te|lhe)? (que|para) (YOU)? não _
    (abstenha|abstém) _
    (já)? (chega|basta) (de|com) (as|os|a|o)? <unwanted> $
instruction .8 asked
    (pode|poderia|podes|podia|dá) (para)? (parar|deixar) de
    (pode|poderia|podes) não _
    (pode|poderia|podes) (usar|colocar|escrever|responder) _{1,6} (em vez de|ao invés de|no lugar de)
instruction .75
    ^ (NO ,)? não (usa|faz|coloca|apaga|muda|bota|fala|responde|escreve|inventa|mexe|deleta|traduz|adiciona|troca|chama|repete|assume|ignora|pula|resume|explica|mente) (!(mais nada) _|$)
    não me (chama|trata|fala|responde|chames|trates)
instruction .72
    (^|NO ,|e|mas|por) não (me|o|a|te|os|as|se|lhe)? DONT
    (^|e|mas|por) não &DONT <unwanted> $
    (chega|basta) de <unwanted> $
    (evite|evita) (GERUND|INF)
    (nada de|sem mais) <unwanted> $
    prefiro que (não|me|YOU|DONT)
instruction .68
    (pergunte|pergunta|pergunta-me|confirma|confirme|avise|avisa|consulte) (me)? (sempre)? antes de
    (prefiro|preferia) _{0,2} (respostas|explicações|frases|textos|resumos|comentários)
instruction .66
    (vai|vá|vamos) (direto|directo)? ao (ponto|assunto|que interessa)
    ^ (tira|tire|pula|pule|corta|corte) (a|o|as|os) (introdução|intro|enrolação|avisos|desculpas)
instruction .62
    (me trate|trata-me|trate-me|me trata) (por|de) (tu|você|senhor|senhora)
instruction .6 objects
    START não quero !(que|nada|INF|mais nada) <unwanted> END
    ^ (USE|com) (menos|mais) _
dissatisfied .72
    (isso|isto|^) não (faz|fez|tem) (nenhum|o menor|lá)? sentido
    (isso|isto|assim) não (me)? (ajuda|serve|ajudou|adianta) (em|para|de)? nada?
    (és|é) (inútil|burro|idiota|imprestável)
    não (está|estás|tá) (me|a)? (ajudando|ajudar)
dissatisfied .68 asked
    (do)? que (YOU|tu)? (está|estás|tá) (falando|a falar)
    (do|de) que (YOU|tu) (fala|falas|está|tá)
    que (merda|porra|diabos|raios|droga|caralho)
dissatisfied .64
    ^ (é|está|tá|isso é|isso está|ficou) (demasiado)? (longo|longa|comprido|comprida|extenso|formal|complicado|genérico|genérica|vago) (demais)? $
dissatisfied .55 asked
    ^ (o)? que (YOU|tu)? (quer|quis|queres|quiseste) dizer (com isso)? $
    ^ como assim
dissatisfied .42 asked
    (tem|tens) certeza
    (tenta|tente|verifica|verifique|procura|olha) (de novo|outra vez|novamente)
dissatisfied .4
    ^ (esquece|esqueça|deixa|deixe) (isso|para|lá|estar)? END
amended .35
    (espera|espere|desculpa|desculpe|perdão|opa|digo|corrigindo) ,? (espera|desculpa|não)? ,? (eu)? (quis|queria|quero) dizer
    NO , (espera|desculpa|desculpe) ,? (eu)? (quis|queria) dizer
    (eu)? (errei|me enganei|me confundi|enganei-me|confundi-me|me expressei|me expliquei)
    (erro|engano|falha|culpa) (meu|minha)
    foi mal
    (mudei|mudar) de (ideia|opinião)
declined .4
    START NO END
declined .35
    START NO ,
declined .25
    START NO (o|a|eu|quero|preciso|me|A)
"""

GUARDS = """
before 0
    OTHERS _{0,3} (me|lhe|te|se|nos)? SAY
    (dizem|disseram|diz|comentam|afirmam|acham|acreditam|falaram) que
    me (disse|disseram|falou|falaram|contou|contaram|avisaram)
    (segundo|conforme|li|ouvi|supostamente|dizem)
    ^ (se|caso|quando) !,
    (ver|saber|diga|diz|avise|avisa|confirma|confirme|verifica|verifique|checa|cheque|sei|olha|conferir|vê) (me)? se
    (caso|supondo|imagine|imagina|suponha|como se|talvez)
    (traduza|traduz|traduzir|frase|oração|palavra|canção|poema|título|intitulado|conto|história|diálogo|personagem|significa|diga a|dizer a|mande|tuíte|lembre)
    (eu)? (sei|sabia|pensei|pensava|achei|achava|temo|receio) que
    não (tenho certeza|sei|digo|significa|quer dizer|estou dizendo)
    obrigado
    (disse|falei|contei|digo|diga|dizer) (à|ao|a|para|pro|pra) _{1,3} que
    (e-mail|mail|email|carta|mensagem|bilhete) _{0,2} (dizendo|que|para|a dizer)
    dizendo que
before .75
    THINGS _{0,2} SAY
before 0 wrong misunderstood repeated dissatisfied replacement instruction
    (OTHERS|nós) _? $
before 0 instruction
    (eu|nós) _{0,2} $
    (quero|preciso|queria|consegui|consigo|vou|tentando|tentar|quer|como|ajuda|decidi) _{0,2} $
before 0 repeated
    (ontem|anteontem|sempre)
before 0 wrong misunderstood
    (pensava|pensei|achava|achei) (que)?
clause 0 question
    ^ (por que|porque|qual|quem|onde|o que (está|há|tem)|que parte)
    (diga|diz|explica|explique|verifica|verifique|confirma|saber|entender|mostra|mostre|aponte|avisa|avise) _{0,3} (se|por|que|qual|onde|como|porque)
after 0
    ^ , _{0,2} OTHERS (disse|diz|falou|disseram)
    ^ , (me)? (disseram|disse) _
    ^ , segundo
    ^ (,)? ou (não|estou|eu|está)
    ^ a (ele|ela|eles|elas|OTHERS)
after 0 repeated
    ^ (à|ao|para|a) (minha|meu|um|uma|ele|ela|OTHERS)
    ^ (minha|meu) OTHERS
sentence 0
    (não|nem|nada|nunca|nenhum) (BE|há|tem|fez|fizeste|vejo|cometeu)? (nada|A|nenhum)? (de)? (WRONG|MISTAKE|mal)
    (nada|menos) mal
    (pode|poderia|talvez) (que)? (estar|ser|esteja|seja|eu)? (WRONG|enganado|errado)
    (eu|me) (estou|estava|estive|errei|enganei|posso estar|tava) _? (WRONG|enganado|errado|confuso)
    (me corrija|corrija-me|corrige-me|me corrige|me avise) se
    não (te|se)? (enganas|engana|enganou|enganaste|errou|erraste|confundiu)
    faz mal
sentence 0 declined wrong replacement repeated
    NO ,? (há|tem|é|tenho|foi) (A|nenhum|nada)? (problema|pressa|dúvida|nada|grilo|stress|mal)
    NO ,? (obrigado|obrigada|se preocupe|te preocupes|importa|precisa|esquenta|faz mal|tranquilo|nada|tudo bem|é preciso|é nada|foi nada|sei|é necessário|está bom|tá bom|liga)
    ^ NO , (isso|isto|assim|está|tá|tudo|só|é|era) (é|está|tá|era|só)? (só|tudo)? (FINE|isso)
    NO ,? (pode continuar|continue|continua|siga|vai em frente|prossiga|segue|pode seguir)
sentence 0 replacement
    START (OTHERS) _? SAY
message 0 wrong misunderstood declined dissatisfied
    (tem|tens|tinha|tinhas) (toda)? (a)? razão !mas
    ^ (isso)? (está|tá|é) (correto|perfeito|verdade|certo) ,
"""

PORTUGUESE = PhraseTable(
    "pt",
    CLASSES,
    PHRASES,
    GUARDS,
    spoken=SPOKEN,
    fillers=FILLERS,
    common=COMMON,
    endings={
        "PAST2": "aste este iste",
        "GERUND": "ando endo indo ndo-me",
        "INF": "ar er ir ar-se á-lo ê-lo ar-me",
    },
)
