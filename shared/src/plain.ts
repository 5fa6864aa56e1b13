/**
 * Makes foreign text safe for a terminal, a model or a shell. Names, labels, screens and logs come from tenants, apps and phones:
 * such a text could move the cursor, reorder or hide other text, or say something that only a model reads. The command line, `ctl`
 * and the agent tools use this filter, and no other. All functions take linear time.
 *
 * Removed:
 * - escape sequences of a terminal (ECMA-48), the rest of C0 and C1, and line separators, which become a space;
 * - format characters (`\p{Cf}`): controls of text direction, zero-width spaces, the tag characters from U+E0000;
 * - every other character that shows nothing (`\p{Default_Ignorable_Code_Point}`): fillers, variation selectors;
 * - halves of surrogate pairs, since two of them could become one of these characters after the removal.
 *
 * Kept, since the text would be read wrongly:
 * - U+200C and U+200D directly after a letter or mark of a script that joins or stacks its letters (UAX #31, 2.3);
 * - U+200D between two emoji, and U+FE0E and U+FE0F directly after one (UTS #51); U+FE0F in a keycap;
 * - the number signs of Arabic, Syriac and Kaithi, which are format characters that show something.
 *
 * Lost: the flags of England, Scotland and Wales, which become black flags, and the variants of single letters in Han and
 * Mongolian, which become the usual ones.
 */

const hidden = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`
/** The part of `hidden` with the property Prepended_Concatenation_Mark, which JavaScript does not name. */
const shown = String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`

/** ISO 15924 names of the living scripts whose letters join or stack. */
const joiningScripts = [
  ...['Adlm', 'Arab', 'Beng', 'Deva', 'Gujr', 'Guru', 'Khmr', 'Knda', 'Mlym', 'Mong'],
  ...['Mymr', 'Nkoo', 'Orya', 'Sinh', 'Syrc', 'Taml', 'Telu', 'Tibt'],
]
const joining = `[${joiningScripts.map((script) => String.raw`\p{scx=${script}}`).join('')}]`
const letter = String.raw`(?=[\p{L}\p{M}])(?!\p{Default_Ignorable_Code_Point})${joining}`
const emoji = String.raw`\p{Extended_Pictographic}`
const needed = [
  String.raw`(?<=${letter})[\u200c\u200d]`,
  String.raw`(?<=[${emoji}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=${emoji})`,
  String.raw`(?<=${emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
].join('|')
const removed = new RegExp(String.raw`(?=${hidden})(?!${shown}|${needed})[^]`, 'gu')

/**
 * Escape sequences go as a whole. A sequence without an end takes no text with it. The text of a sequence has no control
 * character, so no character is searched for the end of two sequences: 80,000 beginnings without an end would take a minute.
 */
const sequences = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)`,
  ].join('|'),
  'g',
)

const lineBreaks = new RegExp(String.raw`[\n\v\f\r\x85\u2028\u2029]+`, 'g')

const plainExceptTabs = (line: string): string =>
  line.replace(sequences, '').replace(lineBreaks, ' ').split('\t').map(withoutHidden).join('\t')

const withoutHidden = (text: string): string => text.replace(removed, '')

/** One line: line breaks and tabs become spaces. */
export const plain = (text: string): string => plainExceptTabs(text).replaceAll('\t', ' ')

/** Several lines: line feeds and tabs stay. CR LF becomes LF. */
export const plainLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => plainExceptTabs(line))
    .join('\n')

const unescaped = new RegExp(String.raw`(?!\n|${shown})${hidden}`, 'gu')

/**
 * JSON with the same value, for programs: each character that is not shown is escaped, even one that `plain` keeps. Line feeds stay.
 * @param json from `JSON.stringify`
 */
export const plainJson = (json: string): string =>
  json.replace(unescaped, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/**
 * One word of a command line, quoted for a POSIX shell if necessary. `=` is quoted too: as the first word, `a=b` would be an
 * assignment. `text` contains no NUL.
 */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
