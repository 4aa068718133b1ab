"""Closed word lists: function words, person words, auxiliaries, names that keep their capital."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRONOUNS = _set(
    "i me my mine myself you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself we us our ours ourselves they them their theirs themselves one oneself"
)
DETERMINERS = _set(
    "a an the this that these those some any no every each either neither both all many much "
    "most more few several other another such what which whose enough half"
)
POSSESSIVES = _set("my your his her its our their")
PREPOSITIONS = _set(
    "about above across after against along among around as at before behind below beneath "
    "beside between beyond by despite down during except for from in inside into like near of "
    "off on onto out outside over past per since through throughout till to toward towards "
    "under until up upon via with within without than"
)
CONJUNCTIONS = _set(
    "and but or nor so yet because although though while whereas if unless when whenever where "
    "wherever that whether once since until as than"
)
AUXILIARIES = _set(
    "am is are was were be been being isn't aren't wasn't weren't have has had having haven't "
    "hasn't hadn't do does did doing don't doesn't didn't can could can't cannot couldn't will "
    "would won't wouldn't shall should shouldn't may might must mustn't ought i'm it's that's "
    "there's they're we're you're he's she's i've you've we've they've i'll you'll we'll they'll "
    "i'd you'd we'd they'd he'd she'd let's"
)
ADVERBS = _set(
    "not never always often sometimes usually only just also too very really even still already "
    "again ever here there now then today nowadays soon maybe perhaps probably certainly "
    "actually generally especially mainly mostly finally firstly secondly thirdly first second "
    "third last lastly however therefore moreover furthermore besides hence thus anyway rather "
    "quite almost instead together well later ago once twice else far away yes no indeed how why "
    "who whom better best worse less least away back"
)
VERBS = _set(
    "go goes went gone going get gets got getting make makes made making take takes took taken "
    "taking give gives gave given giving say says said saying tell tells told think thinks thought "
    "thinking know knows knew known see sees saw seen seeing look looks looked want wants wanted "
    "need needs needed use uses used using try tries tried trying feel feels felt become becomes "
    "became seem seems seemed agree agrees agreed disagree disagrees believe believes believed "
    "enjoy enjoys enjoyed like likes liked love loves loved live lives lived work works worked help "
    "helps helped helping learn learns learned learnt learning understand understands understood "
    "buy buys bought buying sell sells sold come comes came coming find finds found keep keeps kept "
    "show shows showed shown spend spends spent put puts let lets leave leaves left bring brings "
    "brought begin begins began start starts started stop stops stopped happen happens happened "
    "mean means meant lead leads led study studies studied studying play plays played grow grows "
    "grew pay pays paid ask asks asked follow follows followed provide provides cause causes caused "
    "allow allows allowed create creates created develop develops developed improve improves "
    "increase increases decrease decreases reduce reduces depend depends affect affects choose "
    "chooses chose prefer prefers support supports decide decides decided travel travels travelled "
    "drive drives drove eat eats ate read reads write writes wrote speak speaks spoke talk talks "
    "talked hear hears heard watch watches watched win wins won lose loses lost run runs ran fail "
    "fails failed succeed succeeds gain gains gained share shares save saves solve solves teach "
    "teaches taught change changes changed remain remains require requires include includes offer "
    "offers produce produces receive receives"
)
FUNCTION_WORDS = (
    PRONOUNS | DETERMINERS | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | ADVERBS
) | _set(
    "nothing something anything everything nobody somebody anybody everybody someone anyone "
    "everyone none others etc"
)
COMMON_OPENERS = VERBS | _set(
    "people young old older younger children parents students teachers teenagers adults men women "
    "companies advertisements advertising products cars knowledge education society technology "
    "life money time government governments health food school university science history "
    "different new good bad great big small long short high low important necessary possible "
    "modern public private local large little own same successful unsuccessful nice real true "
    "false many facts ideas concepts travelling traveling learning studying communities community "
    "country countries city cities world family friends group tour tours person thing things way "
    "ways reason reasons problem problems example part parts job jobs business success risk risks "
    "experience opinion question information transport transportation pollution petrol traffic "
    "computers television internet-based sport sports music language languages culture cultures "
    "water air oil energy nature animals plants doctors scientists workers employees managers "
    "customers consumers producers sellers buyers everything according compared based given "
    "thanks due next imagine suppose otherwise apart two three meanwhile everyday unlike human humans "
    "further mankind twenty ten likewise whatever fourth consider afterwards lots right assume recent "
    "overall schools examples general global lack easy memory fun religion certain simple tourists "
    "strong practice thousands international free economic sooner years persons worst typical "
    "industrial political social scientific ordinary fewer age career kids year bank law laundry "
    "commercials man woman men women pain please dear whoever earlier higher easier harder better "
    "sure bad thereby teenage traditional mobile several advertisement advertisers car train buses "
    "thanks due regardless considering concerning regarding broad specific specialized academic "
    "shampoos clothes books movies films stories news prices quality growth research"
)
PROPER_WORDS = _set(
    "monday tuesday wednesday thursday friday saturday sunday january february april june july "
    "august september october november december english french german italian spanish chinese "
    "japanese korean arabic turkish hindi telugu russian portuguese american british european "
    "asian african indian mexican canadian australian swiss dutch greek islamic christian muslim "
    "jewish buddhist europe asia africa america australia england france germany italy spain china "
    "japan korea turkey india russia brazil mexico canada egypt london paris berlin rome madrid "
    "tokyo seoul beijing istanbul mumbai delhi moscow york god christmas ramadan easter google "
    "facebook youtube microsoft apple toyota honda bmw toefl ielts mr mrs ms dr prof professor usa "
    "uk eu un tv pc it's-proper"
) - {"it's-proper", "professor"}

PERSON_NOUNS = _set(
    "people person man men woman women child children student students teacher teachers parent "
    "parents adult adults teenager teenagers friend friends customer customers consumer consumers "
    "worker workers employee employees employer employers scientist scientists doctor doctors "
    "driver drivers traveller travellers traveler travelers tourist tourists guide guides company "
    "companies government governments producer producers seller sellers advertiser advertisers "
    "politician politicians citizen citizens specialist specialists expert experts writer writers "
    "generation generations family families boy boys girl girls buyer buyers professor professors "
    "player players learner learners youngsters youth elders manager managers businessman "
    "businessmen human humans individual individuals"
)
IRREGULAR_PLURALS = _set(
    "people men women children teeth feet mice data media criteria phenomena youngsters police "
    "businessmen sportsmen"
)
"""Plural nouns that do not end in -s."""

SINGULAR_IN_S = _set(
    "news business success politics economics mathematics physics class process progress stress "
    "happiness illness bus gas glass loss boss campus virus status access address series basis "
    "crisis analysis always sometimes perhaps thus is was has does this its yes across less "
    "towards besides afterwards nowadays"
)
"""Words in -s that are not plural nouns."""
