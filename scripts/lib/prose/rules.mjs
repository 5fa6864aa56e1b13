// The constructions that read as if translated. Each rule has a sentence that breaks it and a better one;
// `shared/src/prose.test.ts` checks both. A space in a pattern stands for any white space; case does not matter.
// `START` is the beginning of a sentence or clause.

const rule = (name, pattern, example, better) => ({ name, pattern, example, better })

export const rules = [
  rule(
    'none of',
    /\b(is|are|was|were|be) none of\b|\bnone of (ours|theirs|its)\b|\bnone (who|that)\b|\bthat (is|are|was|were) none\b/,
    'An error that is none of ours.',
    'An error that is not an `ApiError`.',
  ),
  rule(
    'is no X',
    /(?<!\bthere )\b(is|are|was|were|be|been|became|become|becomes) no (?!longer\b|more than\b|less\b|fewer\b|later\b|such\b)[\w`"']+/,
    'The actions are no JSON.',
    '`actions` is not valid JSON.',
  ),
  rule(
    'bare What or Who clause',
    /START(what|who|whom|whose|whoever|whatever) ['’"“`(]?\w[^?]*?([.;:!](?=\s|$)|$)/,
    'What could not be read never counts as clean.',
    'A failed read never counts as clean.',
  ),
  rule(
    'who as an object',
    /\b(for|of|to|by|with|from|than|as|and|tells|on) (who|whoever)\b|\bwho (asks|asked|waits)\b/,
    'Keeps a phone ready for who may come.',
    'Keeps a phone ready for later viewers.',
  ),
  rule('bare Of phrase', /START(of) (?!course)/, 'Of the current rotation.', 'In the current rotation.'),
  rule(
    'bare As clause',
    /START(as) (?!soon|long|of|root\b|well)[^,.;:]*([.;:](?=\s|$)|$)/,
    'As adb names it.',
    "The device's adb serial.",
  ),
  rule('bare That clause', /^\s*that (?!is why)/, 'that came with the phone stay', 'keeps preinstalled apps'),
  rule(
    'of its own',
    /\bof (its|their|our|his|her|my|your|one['’]s|whose) own\b/,
    'A deadline of its own.',
    'A separate deadline.',
  ),
  rule(
    'of ours',
    /\bof (ours|theirs|yours)\b|\b(is|are|was|were) (ours|theirs)\b/,
    'Messages of ours.',
    'Our messages.',
  ),
  rule(
    'as it stood',
    /\bas (it|they) (stood|stands?)\b/,
    'Returns the screen as it stood.',
    'Returns the last screen.',
  ),
  rule('anew', /\banew\b/, 'The tree is read anew.', 'The tree is read again.'),
  rule(
    'stand for be',
    /\b(stand|stands|stood|standing) (beside|in|on|at|there|where|before|between|behind|under|around|still|open|alone|apart|outside|inside)\b/,
    'Its name stands in the record.',
    'The record contains its name.',
  ),
  rule(
    'lie for be',
    /\b(lie|lies|lay|lying) (beside|in|on|at|there|under|behind|outside|inside|within|between)\b/,
    'The range lies outside of the file.',
    'The range is outside the file.',
  ),
  rule('beside', /\bbeside\b/, 'Nobody may dump the tree beside it.', 'Only one process can dump the tree.'),
  rule('told', /\btold\b/, 'A refusal is told by its status.', 'The status reports a refusal.'),
  rule(
    'words of',
    /\bwords of\b|\bin (its|our|their|the \w+['’]s) (own )?words\b|\b(phone|host|agent)['’]s words\b/,
    'Fails in the words of the phone.',
    "Returns the phone's error message.",
  ),
  rule(
    'as many as it may',
    /\bas (many|much|long|few|often) [^.;]{0,40}\bas [\w' ]{1,25}\b(may|can|could)\b/,
    'The project has as many phones as it may.',
    'The project has reached its phone limit.',
  ),
  rule('may not', /(?<!\bor )\bmay not\b/, 'The name may not be empty.', 'The name must not be empty.'),
  rule(
    'so that it may',
    /\bso that [\w'’ -]{1,30} may\b/,
    'So that a client may see it.',
    'So that a client can see it.',
  ),
  rule(
    'what became of',
    /\bwhat (became|becomes|has become|will become) of\b/,
    'Tells what became of the install.',
    'Returns the outcome of the install.',
  ),
  rule(
    'what was asked',
    /\bwhat (was|is|were) (asked|said|wanted)\b/,
    'The phone did not do what was asked.',
    'The phone failed to run the request.',
  ),
  rule(
    'it is not known',
    /\b(it is|is) not known\b/,
    'It is not known whether it ran.',
    'The action may or may not have run.',
  ),
  rule(
    'is that of',
    /\b(is|are|was|were|not) (that|those) of\b/,
    'The signature is not that of the provider.',
    "The signature is not the provider's.",
  ),
  rule('all but', /\ball but\b|\bbut for\b/, 'All but the last one.', 'All except the last one.'),
  rule(
    'also for even',
    /\balso (when|where|while|if)\b|, also (one|a|the|those|in|by|before|after|on|with|from)\b/,
    'It ends also when the host is silent.',
    'It ends even when the host is silent.',
  ),
  rule(
    'that there are',
    /\b(those|that|than|what|all) there (is|are|was|were)\b/,
    'Names tests that there are.',
    'Names existing tests.',
  ),
  rule(
    'at least, at the end',
    /\bat (least|most)(?=[,.;:)]|\s*$)/,
    'Frames are a second apart at least.',
    'Frames are at least a second apart.',
  ),
  rule('any more', /\bany ?more\b/, 'It is not open any more.', 'It is no longer open.'),
  rule(
    'taken for',
    /\b(taken|takes?|took) [\w' ]{0,25}\bfor (that|those|one|another|a dead|the other)\b|\btaken (for|to be)\b/,
    'A phone that does not say it is taken to be on.',
    'A phone that does not report its state is treated as on.',
  ),
  rule(
    'hold against',
    /\b(hold|holds|held|holding) [\w`'’ ]{0,60}\bagainst\b/,
    'Holds answers against the description.',
    'Checks answers against the description.',
  ),
  rule(
    'go on',
    /\b(go|goes|went|going|gone) on(?=[,.;:)]|\s*$| (with|after|and|only|from|when|once|until|as|where|while)\b)/,
    'Its tenant goes on.',
    'Its tenant continues.',
  ),
  rule('out of reach', /\b(out of|in) reach\b/, 'The phone is out of reach.', 'The phone is unreachable.'),
  rule(
    'one a rack',
    /\b(one|two|three|once|twice|\d+|file|bytes|line|row) an? (run|rack|host|device|phone|process|row|side|line|file|folder|project|picture|client|key)\b/,
    'One agent process, one a rack machine.',
    'One agent process per rack machine.',
  ),
  rule('at once', /\bat once\b/, 'Refuses the call at once.', 'Refuses the call immediately.'),
  rule(
    'in time',
    /\b(not|nor|nobody|never|none|no)\b[^.;]{0,60}\bin time\b/,
    'The state did not come in time.',
    'The condition was not met before the timeout.',
  ),
  rule(
    'say of',
    /\b(say|says|said|tell|tells) ((nothing|something|anything|what) )?of\b|\b(is|are|was|were|been) said\b/,
    'A phone says nothing of an empty clipboard.',
    'A phone does not report an empty clipboard.',
  ),
  rule('very same', /\bvery (same|one)\b/, 'The very same file.', 'The same file.'),
  rule(
    'whatever',
    /\bwhatever\b|\bwhosoever\b|\bwhoever\b/,
    'Refuses it, whatever the type.',
    'Refuses every type.',
  ),
  rule(
    'over restarts',
    /\bover (a |the |its |two |several )?(restarts?|reboots?|park)\b/,
    'Kept over restarts.',
    'Kept across restarts.',
  ),
  rule(
    'tried again',
    /\b(is|are|was|were|be|been) tried again\b/,
    'The write is tried again.',
    'The agent retries the write.',
  ),
  rule('by nobody', /\b(by|of|to|for|from|with) nobody\b/, 'A lock held by nobody.', 'An unheld lock.'),
  rule(
    'verb with no',
    /\b(gives?|gave|lets?|ends?|breaks?|loses?|moves?|names?|knows?|tells?|touches|shows?|serves?|reads?|writes?|costs?|raises?|counts?|judges?|changes?) no (?!longer\b|more\b|less\b|one\b)[\w`"']+/,
    'The provider gave no page.',
    'The provider did not return a page.',
  ),
  rule(
    'chain of of',
    /\bof (?!them|it)[^,.;:()]{1,25} of (?!them|it)[^,.;:()]{1,25} of\b/,
    'The end of the list of apps of a phone.',
    "The end of a phone's app list.",
  ),
  rule(
    'metaphor',
    /\b(shelf|shelves|tapes?|curtains?|neighbours?|strangers?|happenings?|the wall)\b/,
    'Writes the tape to the shelf.',
    'Writes the recording to the store.',
  ),
  rule('shall', /\bshall\b/, 'Programs that shall use the server.', 'Programs that use the server.'),
  rule(
    'by no X',
    /\b(by|to|from|in) no (?!means\b|way\b|time\b|longer\b|more\b)[\w`"']+/,
    'Is made by no request.',
    'No request creates it.',
  ),
  rule(
    'is away',
    /\b(is|are|was|were) away\b/,
    'A part is away that all requests need.',
    'A dependency of all requests is unavailable.',
  ),
  rule(
    'since, at the end',
    /\bsince(?=[.;:,)]|\s*$)/,
    'The device was not wiped since.',
    'The device has not been wiped since then.',
  ),
  rule('meanwhile', /\bmeanwhile\b/, 'One that has ended meanwhile.', 'One that has since ended.'),
  rule(
    'archaic word',
    /\b(thereof|therein|whereof|wherein|whence|thither|hither|ere|lest|nought|aught|withal)\b/,
    'A lock, lest two run.',
    'A lock prevents two from running.',
  ),
]

const start = String.raw`(?<=^[\s"“*_(]*|[.!?;:][)"”]?\s+)`

/** Ready to run over a fragment. */
export const compiled = rules.map(({ name, pattern, better }) => ({
  name,
  better,
  pattern: new RegExp(pattern.source.replaceAll('START', start).replaceAll(' ', String.raw`\s+`), 'gi'),
}))
