"""How English speakers correct an assistant, and what only looks like it."""

from seasoned.corrections.languages.table import PhraseTable

CLASSES = {
    "AND": "and but so because since as could can would what why how where",
    "APART": "i it you u he she they we is was are were 's 're 'm am does did do has had have not"
    " because so if when that's which who will would should could can cannot may might yes yeah yep yup ok okay sure",
    "NOT": "not",
    "THINK": "think believe guess suppose feel reckon fear",
    "NO": "no nope nah naw noo nooo noooo nooooo nay noope negative",
    "THAT": "that this it these those dat tht",
    "THIS": "this these those",
    "A": "a an the any some my your its such",
    "BE": "is was are were be been 's 're am 'm being seems looks sounds appears feels seem look",
    "HAVE": "have has had 've 'd having",
    "DO": "do does did doing 'd done",
    "WILL": "will would should could might can must may 'll 'd",
    "YOU": "you u ya yu ye",
    "OTHERS": "he she they we everyone everybody people somebody someone nobody who which teacher"
    " boss friend colleague coworker wife husband mom mum dad mother father brother sister son"
    " daughter partner girlfriend boyfriend manager client customer professor doctor lawyer team"
    " roommate neighbour neighbor reviewer others guy kid kids uncle aunt cousin student"
    " students users user author critics reviewers",
    "THINGS": "docs documentation manual compiler linter test tests log logs readme spec error"
    " console ci terminal book article website page wiki wikipedia google calculator",
    "SAY": "said says say saying told tells tell telling thinks think thought claims claim claimed"
    " insists insisted argues argued believes believed wrote writes warned complained complains"
    " mentioned mentions keeps kept",
    "WRONG": "outdated obsolete deprecated wrong incorrect false mistaken inaccurate untrue erroneous backwards rong nonsense bs"
    " bullshit rubbish bogus garbage gibberish incorrectly wrongly falsely mistakenly",
    "BADLY": "wrong wrongly incorrectly badly backwards mistakenly poorly",
    "RIGHT": "right correct true accurate correctly properly rihgt",
    "FINE": "fine ok okay good great perfect all alright enough right correct cool awesome",
    "MISTAKE": "mistake mistakes error errors typo bug bugs misunderstanding mixup confusion",
    "ANSWER": "answer answers response responses reply replies result results output command commands"
    " translation suggestion calculation solution info information explanation summary"
    " conclusion recommendation citation formula quote",
    "THING": "ANSWER one thing way manner file files code version format date day time name number"
    " link url place person order path folder song word language approach task job question tool"
    " library function branch repo page address email account tab button direction room city"
    " country type size color colour unit units table column row line variable method model"
    " year month price size option idea guy tense spelling tone style",
    "ASKED": "asked ask asking requested request meant mean said say wanted want need needed"
    " ordered order told tell specified searching looking talking referring after"
    " intended wished mentioned require required requesting describing described",
    "SAID": "said say asked ask meant wanted requested ordered specified needed told wrote",
    "TOLD": "told said asked mentioned explained gave specified sent answered wrote stated clarified"
    " tell say ask mention explain give answer provided",
    "TRY": "use try choose pick take call name write say go run open put make add send show give"
    " play read set keep do select install import format return answer respond reply start begin"
    " end sort check look search translate spell convert deploy commit push merge build test book"
    " change move switch replace remove delete draft print stick using need want",
    "USE": "use try choose pick take call write say go run select using stick switch prefer need"
    " want book format return deploy commit push",
    "BEHAVE": "use do say call add delete touch change write put make commit push run ask tell assume"
    " guess give send mention include remove edit create reply answer respond apologize apologise"
    " start begin end explain summarize summarise translate invent hallucinate lie format return"
    " show suggest recommend overwrite modify rename refactor import insert repeat interrupt skip"
    " ignore speak talk address sign shorten round rewrite replace hardcode mock test deploy post"
    " reset rely break generate quote cite check verify keep wrap indent capitalize save save read"
    " confirm open close merge install print log schedule book order buy share reveal store omit"
    " bring treat pretend capitalise mix prefix append comment document be leave stop wait",
    "STYLE": "use add say call write change delete touch remove edit create apologize apologise"
    " explain summarize summarise translate invent hallucinate lie format suggest recommend"
    " overwrite modify rename refactor import insert repeat interrupt skip ignore assume guess"
    " mention include shorten round rewrite replace hardcode mock rely generate quote cite wrap"
    " indent capitalize capitalise respond reply commit push deploy merge pretend treat address mix"
    " comment document sign",
    "BEHAVING": "using doing saying calling adding deleting touching changing writing putting making"
    " committing pushing asking telling assuming guessing giving sending mentioning including"
    " removing editing creating replying answering responding apologizing apologising starting"
    " ending explaining summarizing summarising translating inventing hallucinating lying formatting"
    " returning showing suggesting recommending overwriting modifying renaming refactoring importing"
    " inserting ignoring speaking addressing shortening rounding rewriting replacing"
    " hardcoding mocking generating quoting citing wrapping skipping pretending treating acting"
    " being trying interrupting leaving reverting breaking messing wasting arguing mixing jumping"
    " bringing sounding sugarcoating",
    "ORDINARY": "playing recording tracking charging cooking heating running watching smoking"
    " drinking eating working going fighting raining talking following listening reminding moving repeating"
    " counting streaming growing learning living loving laughing crying thinking dancing hiking",
    "LISTEN": "understand get listen read follow answer hear see grasp comprehend remember pay"
    " address do catch know respect use include check",
    "LISTENING": "listening understanding answering reading paying following getting hearing helping"
    " making respecting addressing",
    "MISSED": "ignored forgot forgotten missed skipped omitted overlooked dropped neglected",
    "BROKE": "messed screwed fucked botched broke broken ruined misunderstood misheard misread"
    " misinterpreted misspelled misspelt mistranslated mistook miscalculated misquoted hallucinated"
    " confused swapped garbled misattributed miscounted",
    "SEEN": "seen see saw watched watch heard hear been read played tried visited",
    "SWEAR": "damn dammit damnit goddammit goddamnit shit fuck wtf ugh argh crap jesus ffs",
    "OPEN": "and but think sorry no nope nah ok okay because so wait thanks thank guess"
    " believe afraid sure feel like yeah actually suppose say said notice see fear now"
    " since though bet ugh shit damn",
    "OF": "to of with for when if on that about how",
    "AGAIN": "again anymore ever",
    "ORDINAL": "second third fourth fifth last hundredth millionth nth tenth final 2nd 3rd 4th 5th"
    " 100th umpteenth",
}

SPOKEN = {
    "isn't isnt isnot ain't aint isn": "is not",
    "wasn't wasnt": "was not",
    "aren't arent": "are not",
    "weren't werent": "were not",
    "don't dont dnt donot don": "do not",
    "doesn't doesnt": "does not",
    "didn't didnt did'nt dident": "did not",
    "haven't havent": "have not",
    "hasn't hasnt": "has not",
    "won't wont": "will not",
    "wouldn't wouldnt": "would not",
    "shouldn't shouldnt": "should not",
    "couldn't couldnt": "could not",
    "can't cant cannot": "can not",
    "mustn't mustnt": "must not",
    "thats that's thats' taht's htats": "that is",
    "its it's": "it is",
    "i'm im": "i am",
    "i've ive": "i have",
    "you're youre ur your're yur": "you are",
    "you've youve": "you have",
    "wasnt": "was not",
    "nevermind nvm nm": "never mind",
    "alot": "many",
    "ive": "i have",
    "gonna": "going to",
    "wanna": "want to",
    "nd": "and",
    "ty thx thnx tnx tks": "thanks",
    "cuz cos bc coz": "because",
    "taht": "that",
    "waht wat": "what",
    "siad": "said",
    "nto": "not",
    "teh": "the",
    "r": "are",
}

FILLERS = """even entirely just totally completely absolutely simply literally very obviously
definitely plainly honestly frankly basically um umm uh uhh uhm hmm hm er erm oh ah ahh
lol lmao rofl bro dude man mate please pls plz kindly kinda pretty also
seriously apparently sir however olly alexa siri yo hey well guys anyway"""

COMMON = """a an the any some my your its that this it these those is was are were be been s re am m have
has had ve d do does did i you u me to of with for when if on in and but so because can could
would will should what how why where say said tell get need want like use make go one way
think good ok okay all as at he she we they him her us our their them then than there here now
after before since until while during who which years time times things thing people life home
two three also every hello hi thanks thank yes sure may might must into over about again only
other another first last same both each few more most very just from by or well back out up down
off never always being going see give know knows put write delete change code file answer
language word today tomorrow yesterday better please let everything nothing something anything
done help find show looking"""

PHRASES = """
wrong .93
    ~OPEN that BE A? WRONG !OF
    THIS BE A? WRONG !OF
    ~OPEN that BE NOT (quite|exactly)? A? RIGHT !(now|away|to|after|before|next|for)
    THIS BE NOT A? RIGHT !(now|away|to|after|before|next|for)
    (THAT|YOU) (HAVE|BE) it? A? WRONG (ANSWER|THING)
    YOU BE WRONG !(about|to|for|when|if|on)
    YOU BE WRONG about (that|this|it|the)
    YOU BE NOT RIGHT !(now|to|away)
    YOU HAVE? (got|get|gotten|getting) _{0,3} (WRONG|NOT RIGHT)
    YOU HAVE? (made|make|making) (A|several|two|many|another|same) _{0,2} MISTAKE
    YOU HAVE? (messed|screwed|fucked) (up|it|that|this|my)
    YOU HAVE? BROKE (it|that|this|my|me|the|up|what|everything)
    YOU HAVE? (confused|swapped|mistook|mistaken|mixed) _{0,5} (with|for|and)
    YOU BE (hallucinating|lying|confusing|misreading|misunderstanding|mistaken|confused|mixing)
    YOU (made|making) (that|this|it|things|stuff) up
    YOU BE making (that|this|it|things|stuff) up
    (^|NO|but|sorry|THINK) A? WRONG (ANSWER|again) $
    THAT BE NOT it !(BE|that)
    THAT BE (a|another|your) MISTAKE
    (your|that|this|these) _? ANSWER BE (WRONG|NOT A? RIGHT)
    there BE (a|an|some|many|several) _? MISTAKE in (your|that|this|what)
    YOU (gave|sent|showed|told|sending|giving) _{0,3} (WRONG|NOT RIGHT)
    YOU (used|opened|picked|chose|called|deleted|edited|changed|booked|played|wrote) A WRONG
wrong .9
    YOU _{1,3} A? WRONG (THING|ANSWER|_)
    (your|this) _{1,2} BE (WRONG|off|NOT A? RIGHT) !(to|of)
    YOU HAVE _{1,4} (mixed|confused|messed|wrong|backwards|swapped)
    (that|this) BE NOT how (YOU|it|one|we|that|they) _
    YOU answered (a|the) (different|wrong|other)
    what YOU (gave|wrote|said|did|sent|told|suggested) _{0,3} BE (WRONG|NOT RIGHT|broken)
    YOU (gave|sent|wrote|suggested|mentioned|showed|used|cited|linked) _{0,4} (do|does|did) not (exist|work|compile|run)
    YOU HAVE? (got|have|put) _{1,3} (mixed|backwards|reversed|swapped|confused|muddled)
    YOU (invented|fabricated|hallucinated) (that|this|it|A|the|those)
    (that|this|the) _{0,2} do not exist $
    YOU HAVE? mixed up _
wrong .88
    YOU HAVE? (DO|done|understood|interpreted|wrote|written|spelled|spelt|put|translated|read|calculated|formatted|implemented|parsed|spelled|handled|named|answered|sorted|counted|set|heard) _{0,4} BADLY
    YOU (do|did) not? _{0,2} do? _{0,4} (request|task|command|it|that|this) (right|correctly|properly)
    YOU did not _{0,5} (right|correctly|properly) $
    it BE A? WRONG (ANSWER|THING)
    it BE NOT A? RIGHT (ANSWER|THING)
    A RIGHT (ANSWER|THING) BE NOT
    (^|NO|sorry|but|THINK) NOT A? RIGHT (ANSWER|$)
    (^|NO) WRONG $
    ~OPEN that BE (NOT|far from) (correct|right|accurate)
    (that|this) (DO|can) NOT (look|seem|sound|be) RIGHT
    (that|this|it) BE (still|again) (WRONG|broken|NOT RIGHT|NOT working|failing)
    still (WRONG|NOT RIGHT|broken|failing)
    i THINK YOU (HAVE|BE|DO)? _{0,3} (WRONG|NOT RIGHT)
    NO ,? YOU (BE|DO|HAVE|can) NOT
    NO NO? NO? ,? not (that|this|those|these|it|like) (one|that|way)? $
    that BE NOT how (i|it|you|we|that|this)
    you (hallucinated|misspelled|misspelt|mistranslated|miscalculated|miscounted|misquoted)
    (it|that|this) BE (the other way|the opposite|the reverse|exactly the opposite|backwards|not the case)
    (that|this) BE NOT what we (agreed|discussed|said|decided|agree)
wrong .85
    (that|this|it) BE NOT (quite|exactly) (RIGHT|what|it|the|how)
wrong .8
    ~OPEN that _ BE (WRONG|off|NOT RIGHT)
    (that|this) (is|was|BE) NOT (close|what) to
    (that|this) BE NOT close
wrong .75
    it BE A? WRONG !(to|of|for|when|if|about|how)
    it BE NOT A? RIGHT !(now|away|to|for|of|after|before|next)
    (A|'s|those) ANSWER BE (WRONG|NOT A? RIGHT)
    ^ (NO ,?)? A? WRONG THING $
    (THAT|there) (must|has|might|seems) (be|been|to)? be? (a|an|some) MISTAKE
    that (did|does|do|is) NOT (work|working|help)
    (it|this) still? (does|is|do) NOT (work|working) (either|as)
    (fix|correct|rectify) (that|this|it|your) (MISTAKE|ANSWER|mess|math|spelling|grammar|formatting|output|numbers)
    (rectify|correct) (A|your|that|this) (command|response|request|statement|information)
    (undo|revert) (that|this|it|your|what|those)
    (change|put|set|switch|roll) (it|that|this) back
    i (disagree|beg to differ)
    i do not THINK (that|it|this) BE (A RIGHT|RIGHT|it|what)
    i do not THINK YOU BE RIGHT
    i do not THINK (that|it|this) BE (how|the way)
    YOU should have (used|asked|done|called|checked|said|kept|read|told|put|written|tried|known)
    YOU should not have
    (that|this) (was|is) not supposed to
    YOU (were|are|be) (not)? supposed to
    WRONG again $
    (that|this) BE (an|the)? (old|older|previous|earlier) (version|one|info|information|data|price|number|address|name|link)
    (that|it|this) BE NOT in (the|my) (document|file|text|article|list|docs|data|report|email|spec|source)
    YOU (said|wrote|claimed|told me|answered) _{1,10} but (it|that|the|he|she|they|this|in|A|actually)
    i THINK (the|your|that|this) _{1,2} BE (WRONG|NOT RIGHT)
    YOU HAVE? (got|get|have) (it|that|this|them) (backwards|reversed|mixed)
wrong .75 answers
    (fix|correct|rectify) (that|this|it|your) (code|$)
wrong .66
    ^ (that|this) BE NOT my !(idea|kind|type|sort|thing|taste|style|genre|cup|favorite|favourite|forte|problem|scene) _
wrong .65
    (that|this) (was|were) supposed to
wrong .82 claimed
    START _{1,8} (fails|fail|failing|failed|broken|crashes|crashing|crashed|errors) (again|too|now|for me)? END
wrong .82 replies
    still (not (working|there|fixed|right|correct|passing|updated|clear)|(shows|fails|says|lists|prints|returns|uses|happens|crashes|breaks|contains|complains))
    (it|this|that) BE still (!(running|going|waiting|loading|thinking|building) ING|not|the same|there)
    ^ i BE not seeing
    ^ i (can|do) not see (any|A|it|that|them|this) _
    i WILL have expected
    ^ _{1,4} BE NOT (correct|right|accurate|true) !(now|away|to|after|before|next|for|of|until|yet|if)
    (this|that|it|which) should not (be|have) (been)? (changed|touched|removed|deleted|renamed|there|moved|added|needed|possible|happening)
    let (us|'s) not !(worry|forget|bother|rush|talk) _
    ^ let (us|'s) roll (it|that|this)? back
    bring (that|it|this|A) _{0,2} back
    i do not quite like _
    i removed (the|your) (new|extra|added) _
    ^ (we|YOU) did not _{1,5} any _
wrong .82 replies asked
    why (can|could|did|is|are|have) not (we|YOU)
    why (can|could|did|is|are|have|has) (we|YOU) not _
    (can|could) (we|YOU) not BEHAVE
    (can|could) not (we|YOU) _
    (^|but|so) (do|did|have|should|are) not (we|YOU) _
    (^|but|so) (should|does|is) not (this|that|it) _
    ^ (we|YOU) did not _{1,8} END
    YOU said (above|earlier|before)
replacement .9 replies
    START not (as|in|on|for|with|to)? <unwanted> ; but <wanted> $
wrong .62 asked
    why (are|were) YOU (BEHAVING|speaking|talking)
    why (did|do|would) YOU (BEHAVE) !(think|say that)
    where (did|do) YOU (get|find|read|see) (that|this|it) (from)?
wrong .62 objects
    (that|this|your|the) _{1,2} (DO not (work|compile|run|open|load|parse|build)|BE (broken|dead|empty))
wrong .6
    ^ (THAT|it) (will|would|does|do) NOT work (for|$)
    (that|which) BE (NOT|hardly) (possible|the case|true)
    why did YOU (delete|remove|change|use|add|overwrite|rename|edit|break|ignore|skip|touch|do)
    it (still|again) (fails|crashes|errors)
    ^ not (quite|exactly) (END|, )
wrong .6 asked
    why (did|would|are|have) YOU (delete|remove|overwrite|ignore|skip|break|deleting|removing|ignoring|deleted|removed|ignored|changed|deleted) _
    who (told|asked|said) YOU _? to
    where did (i|you) (say|ask|get) (that|this|it)
wrong .5
    START SWEAR SWEAR? END
replacement .93
    i SAID (for|to|that|you|with|about|at|in|on)? <wanted> ,? (and|but)? (not|never) <unwanted> $
    i was (asking|looking|talking|referring) (for|about|to) <wanted> ,? (and|but)? not <unwanted> $
    i (did|do) not (say|ask|mean) (for|to|you|about)? <unwanted> (,|but)? (but)? i (SAID|was) (for|to|asking|talking)? (for|about)? <wanted> $
    i BE not (looking|asking|talking) (for|about) <unwanted> ,? (but)? i BE (looking|asking|talking) (for|about) <wanted> $
    should (be|have|say|read|been) (been|say|said)? <wanted> ,? (and|but)? (not|instead of|rather than) <unwanted> $
    NO ,? USE <wanted> ,? (and|but)? (not|instead of|rather than) <unwanted> $
    (NO|should|must|(need|have|ought|supposed) to|rather) use <wanted> ,? (and|but)? (not|instead of|rather than|never) <unwanted> $
replacement .9
    i SAID (for|to|you)? <wanted> (and|but|,) (and|but)? YOU (HAVE)? (gave|did|used|wrote|put|sent|made|returned|given|written|sending|giving) (me)? <unwanted> $
    do not (STYLE|pick|choose|run) <unwanted> ,? (but|and)? (STYLE|pick|choose|run) <wanted> $
    do not (STYLE|pick|choose|run) <unwanted> , (but|rather) <wanted> $
replacement .9 asked
    (can|could|would|will) YOU use <wanted> ,? (not|instead of|rather than) <unwanted> $
replacement .85
    (^|and) use <wanted> ,? (and|but)? (not|instead of|rather than|never) <unwanted> $
    (^|NO|should|must|and) USE (to|with|it|the)? <wanted> ,? (and|but)? (not|instead of|rather than) <unwanted> $
    NO ,? (it|that|this|the) _{0,2} BE <wanted> ,? (and|but)? not <unwanted> $
    NO ,? (it|that) BE not <unwanted> ,? (but)? (it|that) BE <wanted> $
    ^ NO ,? TRY <wanted> ,? instead $
    ^ not <unwanted> , (use|i (said|meant|asked|wanted)) <wanted> $
    (that|this|^) should have been <wanted> $
    YOU (used|wrote|put|picked|chose|gave|called|said) <unwanted> ,? (instead of|not|rather than|but) (it should be|i said|i asked for|i wanted)? <wanted> $
    my (name|email|number|address|birthday) BE <wanted> ,? not <unwanted> $
    (the|my) (right|correct|proper|actual) _? _? BE <wanted> ,? (and)? not <unwanted> $
replacement .8
    NO ,? i (SAID|meant|wanted|asked) <wanted> $
    ^ (the|A) RIGHT (ANSWER|THING) BE <wanted> $
    (^|and) use <wanted> instead $
    (^|and) use <wanted> next? time $
    i SAID <wanted> ,? YOU (gave|did|used|wrote|put|sent|made) <unwanted> $
replacement .8 answers
    NO ,? (it|that|this) should (be|have) <wanted> $
    (that|this|it) (is|'s|are) not <unwanted> ,? (it|that|this) (is|'s|are) <wanted> $
replacement .78
    NO ,? (use|try|call|write|choose|pick|make|play|put|change|switch|keep|leave|go|say|run|set|book|do|open|take|send|show|give|start|delete|remove|add) <wanted> $
replacement .75
    NO ,? (NO ,?)? (the|that) (other|first|second|last|previous|left|right|new|old|latest|original) (one|_)
    i BE not !(sure|certain|going|able|really|feeling|that|too|so|in|at|on|ING) <unwanted> , i BE !(ING|going) <wanted> END
    START NO _ , (USE|STYLE) <wanted> $
replacement .7
    (^|and) (STYLE|USE|make it|name|spell) <wanted> (instead of|rather than) <unwanted> $
    (^|and) (STYLE|USE|make it|name|spell) <wanted> , not <unwanted> $
    ^ actually ,? (it|that|this) (BE|should be) <wanted> $
    i (would (like|prefer)|prefer) <wanted> , not <unwanted> $
    NO ,? i _{1,2} in <wanted> ,? not (in)? <unwanted> $
replacement .7 answers
    (it|that|this) (is|'s|are) <wanted> ,? not <unwanted> $
    NO ,? (it|that|this|he|she) BE (!FINE <wanted>) $
    NO ,? not <unwanted> ,? (but|use|i)? <wanted> $
    ^ (it|that|my name|the name) BE (spelled|spelt|written|pronounced) <wanted> $
replacement .62 answers
    (the|my|our|its|A) _{1,3} BE <wanted> ; not <unwanted> $
replacement .6
    START i (want|need|BE looking for|BE asking for|BE talking about) !to (it|this|that|them)? <wanted> (,|and|but)? !(not to) not <unwanted> $
    START not <unwanted> ; <wanted> END
replacement .6 objects
    START (NO ,?)? (the|that|this) _{0,2} should (be|have been) !(FINE|it|everything) <wanted> END
    it should have been <wanted> $
    START <wanted> (instead of|rather than) <unwanted> END
replacement .58
    NO ,? i (need|want|needed|wanted) <wanted> $
replacement .58 answers
    START (NO ,)? <wanted> , not <unwanted> END
replacement .56 replies
    (^|and) TRY <wanted> (instead of|rather than) <unwanted> $
    (^|and) TRY <wanted> , not <unwanted> $
    (sorry|apologize|apologise|apologies) ,? (but)? i (actually|BE)? (actually)? (need|want|looking|wanted|needed|asked|said|would (like|prefer))
    ^ i (actually)? do not (need|want) (A|you|that|this|it)
    (sorry|actually) ,? (but)? i (actually)? do not (need|want) (A|you|that|this|it)
replacement .45
    (it|that|this) BE actually <wanted> $
    ^ (it|that|this) (was|were) <wanted> ,? not <unwanted> $
    ^ (it|that|this) (was|were) not <unwanted> ,? (it|that|this) (was|were) <wanted> $
    i actually do not (need|want) <unwanted> $
    i do not (need|want) <unwanted> ,? (i|but i) (need|want|asked|only) <wanted> $
replacement .45 answers
    ^ <wanted> , not <unwanted> $
misunderstood .93
    BE NOT (quite|exactly)? A? (what|thing|one|why|where|how) i (HAVE|BE|did)? ASKED
    NOT (quite|exactly)? (what|the one) i (HAVE|BE|did|had)? ASKED
    BE NOT what i had in mind
    BE NOT (my|the) (question|point|request|problem|issue)
    BE NOT A (answer|response) (to|i)
    (DO|did|does) NOT answer (my|the) question
    i (did|do|have) NOT (ask|asked) (YOU|for|about|that|to|it|this)
    i (did|have) NOT (say|said|mean|meant|request|requested|order|ordered) _{0,3} (that|this|it|so|those|any|these)
    i never (asked|said|mentioned|told|requested|meant|wanted|ordered) (for|YOU|that|this|it|to|any|about|anything)
    YOU HAVE? (misunderstood|misheard|misread|misinterpreted|misunderstand|mishear)
    YOU HAVE? (missed|missing|miss) (my|the|A) (entire|whole|main)? point
    YOU (got|get) me wrong
    YOU BE NOT (listening|paying|answering|understanding|getting|reading|following|hearing|addressing)
    (did|do|can|why|are) YOU NOT (listen|read|understand|hear|listening|reading) (to|me|my|what|the|A)
misunderstood .9
    i never (mentioned|said|asked|wrote|requested|told)
    (read|reread) (my|the) (message|question|request|prompt|instructions) (again|properly|carefully)
    (read|reread) (what|that) (i|again)
misunderstood .86
    YOU (do|did|have|clearly) NOT (understand|understood|get|got|listen|listened|read|follow|followed|answer|answered|hear|grasp|see|comprehend|catch|address) _{0,3} (i|me|my|it|question|that|point|request|instructions|problem|this)
    YOU (do|did|have) NOT (understand|listen|follow|answer|get) (, |$)
    YOU HAVE? (ignored|disregarded|overlooked|neglected) (my|what|the|me|everything|part|A|half|most|all|one|some)
    i was (talking|asking|referring) (about|to|for) <wanted> ,? not <unwanted> $
    (that|this) (is|'s|was) NOT what i
misunderstood .8 asked
    (did|have|do) YOU (read|listen|understand|hear|reading) (what|my|to|the|A) _? (i|me|message|question|request|instructions)
    can YOU (listen|understand|hear) (what|my|to|the|A) _? (i|me|message|question|request|instructions)
    (did|do) YOU NOT (read|listen|understand|see|hear) (what|my|to|me|the)
misunderstood .78
    YOU (did|have) NOT (include|add|use|follow|fix|change|update|remove|translate|check|finish|put|save|included|added|used|followed|fixed|changed|updated|removed|translated|checked|finished|mention|sort|format|rename|implement|test|respect|consider) _
    YOU BE (still) not ING
misunderstood .72 asked
    (can|could|would|will) YOU (follow|stick|listen|pay) (to|attention)? _{0,2} (instructions|rules|guidelines|request|prompt|said|asked)
    (can|could|would|will) YOU read (what|my|the) _{0,2} (instructions|rules|guidelines|prompt|said|asked)
    (can|could|would|will) YOU (listen|pay attention) to? me
misunderstood .8
    YOU HAVE? (forgot|forgotten|missed|skipped|omitted|dropped) (to|the|my|about|one|A|half|some|that|this|what)
misunderstood .7
    YOU HAVE? (skipped|omitted) _
misunderstood .68
    YOU HAVE? left (out|off) (the|my|one|A|half|some|that)
    YOU left (the|my|A) _{1,3} out
    i (meant|was talking about|was asking about|was referring to) !that <wanted> $
    i did not want (YOU|that|this|it)
    (that|this) (is|'s) NOT what i expected
repeated .92
    i HAVE? (already|twice|repeatedly) TOLD
    i TOLD (YOU|u|it|that|this)? (already|twice|before|repeatedly|times|earlier|above|million)
    i told YOU (to|not|that|,|:|many|a|NO|earlier|before|several|already|it|this|use|do)
    i told YOU $
    i HAVE (told|asked|said) _{0,4} (times|already|twice|before|repeatedly)
    how many (more)? times
    i (keep|kept) (telling|saying|asking|repeating|having)
    for A ORDINAL time
    i (have|had|need|hate|got) to (repeat|remind|tell|say|ask) _{0,3} (myself|again|YOU|this|that|twice)
    YOU (keep|kept) BEHAVING
    we HAVE? (been|went|discussed|talked|gone) (over|through|about) (this|that) (already|before|again)
    YOU HAVE? (did|made|done|doing|making|used|broke|forgot|deleted|ignored|changed|added|removed|written|wrote) _{0,5} again $
repeated .92 asked
    how many (more)? times (do|must|should|have|did|will|i)
    (did|have|do) NOT i (already)? (TOLD|say)
    what did i (say|tell|told|ask) (YOU|about|earlier|before|$)
    why do YOU (keep|always|continue|still|insist)
    why (are|do) YOU (still|again) _
    do i (have|need) to (repeat|say|tell|explain|ask)
repeated .9
    (the|my) ORDINAL time (that)? i
    YOU BE still (BEHAVING|ING)
    i HAVE? warned YOU
    i (specifically|explicitly|expressly|clearly|distinctly|already) (asked|said|told|requested|wrote|mentioned|stated)
    i HAVE (told|said|explained|asked) (YOU|that|this|it)
repeated .82
    YOU BE ING _{1,6} again $
    YOU BE (still|again) ING
repeated .78
    (like|as) i HAVE? (TOLD|requested) (before|already|earlier|above|YOU)
    ^ (NO ,?)? i (said|asked|told) !(YOU about) (for|YOU|to|that|the|i|no|in|my|at|A|it|use|only|do|make|not|call|by|0)
    ^ (once)? again , (i|use|do|not|my|YOU|no|stop|never|always)
    YOU (keep|kept) ING
    once more , (i|use|do|the|this|that|it|not|my|YOU|no|stop|never|always)
    YOU did (it|that|this) again
    i (need|want) _{0,5} like i said
repeated .78 answers
    (the|A) same (MISTAKE|thing|problem|issue|answer) (again|as|twice|over)
    ^ (once)? again , (the|this|that|it|A|we)
repeated .7
    ^ again with (the|those|these|your)
repeated .62
    START (NO ,?|but|and)? (like|as) i (said|mentioned|told|asked|requested|stated|explained)
    i still need (the|my|a|an|that)
    NO ,? i (said|asked)
    not again $
repeated .6
    START (NO ,?)? i said _{1,3} END
instruction .88
    (^|NO|and|but|so|YOU (need to|have to|should|must|better)) (stop|quit) BEHAVING
    (stop|quit) repeating (yourself|that|the|it|what|my)
    never ever
    do not (you)? (ever|never) BEHAVE
    (^|NO|but|YOU|should|must) never BEHAVE !(up|not)
    (^|and|NO|so|but) do not BEHAVE !(up|not) _{0,7} (again|anymore|ever|unless|without|unasked)
    (^|NO|and) do not do (that|this|it|so)
    i (do|did) not want YOU to
    (^|NO|and|so|but|should|must) always BEHAVE
    YOU (should|must|(need|have|ought) to) (always|never)
    YOU (should|must) not BEHAVE
    (^|and) (from now on|going forward|henceforth|in A? future|next time|in the future) !( ,? (i|we|he|she|they|it|there))
    (^|and|NO) (BEHAVE|do not) _{1,8} (from now on|going forward|in A? future|in the future|next time|every time) $
    (i) (need|want) YOU to (stop|quit|never|always|not)
    (^|NO|and|but|so|YOU (need to|have to|should|must|better)) (stop|quit) &BEHAVING <unwanted> $
    (^|NO|but|YOU|should|must) never &BEHAVE <unwanted> $
    (^|NO|and|so|but|should|must) always &BEHAVE <wanted> $
    (^|and) (from now on|going forward|in the future|next time) ,? &BEHAVE <wanted> $
    (^|and) (from now on|going forward|in the future|next time) ,? do not <unwanted> $
instruction .85
    do not (make|making) (stuff|things|it|that|this|anything|facts|something) up
    do not make up _
    (stop|quit) (it)? with (the|all|those|these|your|that) <unwanted> $
    (refrain|abstain|desist) from _
    i (would)? (ask|request) (that)? YOU (not|to not|do not) _
instruction .85 asked
    (can|could|would|will) YOU (stop|quit) (BEHAVING|ING)
    (can|could|would|will) YOU (not|never|always) BEHAVE
    (can|could|would|will) YOU (BEHAVE) _{1,7} (from now on|going forward|in future|in the future|next time)
instruction .82
    i WILL rather YOU
    (^|and) (keep|bear) in mind (that)? (i|we|A|YOU)
instruction .7
    (^|NO) do not STYLE !(up|not)
    (^|NO|but) stop !ORDINARY ING
    (^|NO) no more <unwanted> ($)
    i (would prefer|prefer|'d prefer) (you|it) (if you)? (not|did not|do not)
    YOU BE not (allowed|supposed|meant) to
    (^|NO) avoid ING
    (^|NO) remember (not to|(to|that YOU)? (always|never)|to STYLE)
    (^|NO) remember that? i (do not)? (want|prefer|like|hate|use|said|told|asked|BE)
    (^|NO|and|but|so) do not &STYLE !(up|not) <unwanted> $
instruction .68
    ^ (always)? (ask|check|confirm) (me|with me)? (first)? before (you|ING)
    i (would prefer|prefer|would like) !to _{1,3} (answers|responses|replies|explanations|sentences|paragraphs|summaries|comments) END
instruction .66
    get (straight|right)? to the point
    ^ (lose|skip|drop|cut|leave out) (the|all|your) (intro|introduction|preamble|fluff|disclaimer|disclaimers|small talk|filler|pleasantries)
instruction .6 objects
    START i do not want !(to|it|that|this) <unwanted> END
    ^ (make sure|be sure) (you|to|that you|not) _
    ^ (use|with) (less|fewer|more) _
instruction .56 replies
    (^|NO|and|but|so) do not BEHAVE !(up|not)
dissatisfied .72
    (~OPEN that|this|YOU) (DO|BE|did|are) NOT (make|making|made) (any|much|a|lot|lick)? _? sense
    (~OPEN that|this|YOU) (make|makes|made|making|BE making) (no|zero|little) sense
    ^ (make|makes|making) (no|zero) sense
    ^ (not making|do not make|does not make) (any)? sense
    what BE YOU (talking|on|saying|going)
    YOU BE (not helping|useless|not helpful|unhelpful|no help|being useless|terrible|stupid)
    (that|this) BE (not helpful|useless|unhelpful|not useful|no help|not helping|worthless)
    (that|this|it) (does|did|do) not help
dissatisfied .68 asked
    what (the hell|the fuck|on earth)? (are|is) YOU (talking|on) about
    what the (hell|fuck|heck)
    ^ (are|is) YOU (kidding|serious|joking|drunk|stupid|broken|dumb)
dissatisfied .64
    (~OPEN that|this|^ it|START) BE? (way|a bit|much)? too (long|short|wordy|verbose|formal|informal|complicated|vague|technical|generic|detailed|complex|repetitive)
dissatisfied .55 asked
    ^ what do YOU mean (by (that|this|it))? $
    ^ huh END
dissatisfied .5 asked
    START what END
    (not sure|no idea|do not know|not understand) (i know)? what YOU BE (talking|saying)
dissatisfied .5 missed
    START (i (HAVE|did)? (actually|really)?)? (not|never) (actually|really)? SEEN (of|about)? (THAT|either|any|one) !(_{0,3} (yet|,? but))
    START i (HAVE|did|do|WILL) not !(,? but) (END|,)
    START i do not (actually|really)? (know|recognize|recognise) (that|it|this|what|A)
    START i do not (actually|really)? (think|believe) i HAVE (ever)? SEEN
    START (i BE)? not (really|particularly|exactly)? (a|my|interested|into|for|END|,)
dissatisfied .5 failed
    ^ (darn|dang|shoot|bummer|unfortunate|unfortunately)
    ^ i (really|actually|only) (need|want|wanted|needed)
dissatisfied .5 failed asked
    ^ (NO ,?)? (not|nothing|none) (at all|anything|any|in|for|one)
    (none|nothing|no _{1,2}|any _{1,2}) (at all|anywhere)
    YOU (do|can) not have (A|any|one|nothing)
dissatisfied .45 asked
    ^ (are|is) YOU (sure|certain|positive)
    (check|look|try|verify|search) (it|that|this)? again
dissatisfied .4
    ^ (forget it|never mind) (END|$)
    YOU BE (NOT|no) _? (helpful|help)
    (that|this) BE (too bad|disappointing|frustrating|ridiculous|annoying|unacceptable)
    i give up
    ^ i (really|actually|only) (need|want|wanted|needed)
    (that|this|those) (will|would|do|does) not (work|do|suit)
amended .35
    (wait|oops|whoops|sorry|correction|hold on|hang on|rather) ,? (NO|wait|sorry)? ,? (NO|sorry)? ,? i (mean|meant)
    i (misspoke|mistyped|misremembered|misspelled)
    i (was wrong|made a mistake|made a typo|got it wrong|stand corrected|confused)
    my (bad|mistake|fault|error|apologies)
    (scratch|strike) (that|this|it)
    i (have)? changed my mind
    let me rephrase
declined .4
    START NO END
declined .35
    START NO ,
declined .25
    START NO (i|the|it|that|this|not|to|we|in|on|for|A)
    START not (that|this|those|it|A) (one|way)? (END|$|,)
"""

GUARDS = """
before 0
    OTHERS _{0,3} (BE|WILL|HAVE|always|never|keeps)? SAY
    (according to|rumor|rumour|heard|read|quote|says|reads)
    (if|whether|unless|suppose|supposing|assuming|imagine|in case|wonder|wondering|pretend)
    (translate|spell|pronounce|phrase|sentence|say|word|write a|sing|lyrics|called|titled|headline|quote|remind|reminder|text|tweet|twitter|send|email|message|post|tell (him|her|them|my|the))
    i (know|knew|realize|realise|understand|admit|see|thought|was told|feared|feel bad)
    not (saying|sure|certain|sure if|convinced) _{0,2}
    (not|never|nothing) (to)? (say|suggest|imply)
    no one
    (saying|stating|claiming|draft|email|letter)
before .75
    THINGS _{0,2} SAY
before 0 misunderstood repeated dissatisfied wrong
    (he|she|they|OTHERS) $
    (thought|used to think|used to believe|assumed|figured)
clause 0 question
    ^ (is|are|was|were|do|does|did|can|could|would|should|am|has|have) NOT? (YOU|THAT|A|i|we|he|she|they|there|what)
    ^ (why|what|how|which|who|where|when)
    (check|see|verify|confirm|tell me|let me know|explain|show me|know|find out|ask|point out|understand|make sure) _{0,3} (if|whether|why|what|where|that|how|which|WRONG)
after 0
    ^ , _{0,2} (OTHERS|he|she) (said|says|told|thinks|thought|claims)
    ^ (according to)
    ^ , (or|right) (not|wrong|am i)?
    ^ _? to (him|her|them|OTHERS|my OTHERS)
sentence 0
    (nothing|anything|none|no|not|never|hardly) _? (WRONG|MISTAKE) _{0,3}
    (correct|stop|tell|forgive|pardon) me if
    (could|may|might|can) be WRONG
    i (BE|was|may|might|could) (be)? (WRONG|mistaken|confused)
sentence 0 declined wrong replacement
    NO ,? (problem|worries|issue|issues|thanks|thank|need|rush|idea|doubt|way|kidding|clue|biggie|hurry|matter|pressure|big|one|harm|offense|more|preference|questions|pun|luck|wonder|longer|other|prob|stress|joke|reason|further)
    NO ,? (that|it|this|they|those|everything) (HAVE|BE|WILL|works)? (be|been|like|about)? (!(NOT|so) _)? (FINE|it|everything|helpful|necessary|needed|done|thanks|wonderful|set)
    NO ,? (i|we) (BE|HAVE|think|do)? _? (that|this)? (BE|WILL)? (be)? (FINE|it $|everything|helpful|done|set)
    NO ,? (you) (HAVE) (been|done|helped) (a|so|enough|great)? _? (FINE|helpful|help|enough|bunches)
    NO ,? but
    NO ,? (that|it|this|they) (BE|DO|WILL) not? (be)? (matter|important|necessary|needed|required|a problem|mind|care)
    NO ,? i (think|guess) _{0,2} (will|would) (do|be)
    NO ,? not (yet|now|right|at|today|necessarily|that i|for|much|END)
sentence 0 declined wrong replacement repeated
    NO ,? (go ahead|continue|keep going|carry on|proceed|go on|leave it)
sentence 0 replacement
    START not (bad|now|much|yet|sure|too|here|today|necessarily|always|often|particularly)
sentence 0 repeated wrong misunderstood
    i (told|tell|asked|said to|HAVE told) (my|his|her|him|them|OTHERS|the OTHERS)
sentence 0 instruction
    never (stop|be|ever stop)
message 0 wrong misunderstood declined dissatisfied
    YOU (BE|were|are) (RIGHT|correct) !but
    (that|this|it|which) BE (RIGHT|correct|FINE) , (thanks|thank|great|perfect)
message 0 replacement declined dissatisfied
    (everything|all) that? i (need|needed|wanted) (END|$)
    (goodbye|bye) END
"""

ENGLISH = PhraseTable(
    "en",
    CLASSES,
    PHRASES,
    GUARDS,
    spoken=SPOKEN,
    fillers=FILLERS,
    common=COMMON,
    endings={"ING": "ing"},
)
