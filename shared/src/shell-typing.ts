/** Texts that a shell command types on the screen, which are masked like other typed texts. Pure. docs/decisions/0278 */

/** The depth of scripts in scripts, as in `sh -c 'su -c "input text a"'`. */
const mostNested = 4

/**
 * Returns the texts of the calls of `input text` in a command or a script, and the characters of successive calls of
 * `input keyevent`. The list is empty when no call was recognised, although a script that computes its calls may type.
 * Takes time in proportion to the length of the script, which a tenant chooses.
 */
export const typedByShell = (script: string): string[] => textsIn(script, 0)

function textsIn(script: string, nested: number): string[] {
  const texts: string[] = []
  let keys = ''
  const endKeys = (): void => {
    if (keys !== '') texts.push(keys)
    keys = ''
  }
  for (const words of commandsIn(script)) {
    for (const word of words)
      if (nested < mostNested && word.includes('input') && /\s/.test(word))
        texts.push(...textsIn(word, nested + 1))
    const from = words.findIndex((word) => /(?:^|\/)input$/.test(word))
    const at = words.findIndex((word, index) => index > from && (word === 'text' || word === 'keyevent'))
    if (from < 0 || at < 0) continue
    const [first, ...more] = words.slice(at + 1)
    if (first === undefined) continue
    if (words[at] === 'keyevent') keys += [first, ...more].map(characterOf).join('')
    else {
      endKeys()
      texts.push(first.replaceAll('%s', ' '))
    }
  }
  endKeys()
  return texts
}

/** Returns the character of a key code or its name (`KeyEvent`): digits, letters, the space, and digits of the number pad. */
function characterOf(key: string): string {
  const name = /^(?:KEYCODE_)?(?:NUMPAD_)?([0-9A-Z]|SPACE)$/.exec(key)?.[1]
  if (name !== undefined && !/^\d$/.test(key)) return name === 'SPACE' ? ' ' : name.toLowerCase()
  const code = /^\d{1,3}$/.test(key) ? Number(key) : 0
  if (code >= 7 && code <= 16) return String(code - 7)
  if (code >= 144 && code <= 153) return String(code - 144)
  if (code >= 29 && code <= 54) return String.fromCharCode(97 + code - 29)
  return code === 62 ? ' ' : ''
}

/** Characters that end a command. */
const ends: ReadonlySet<string> = new Set('\n;|&(){}`')

/** The character before a comment. */
const beforeComment = /[\s;|&()]/

/** Returns the words of each command, without their quotes. */
function commandsIn(script: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  /** The next word is where a redirection leads. */
  let isTarget = false
  const endWord = (): void => {
    if (word === null) return
    if (!isTarget) words.push(word)
    isTarget = false
    word = null
  }
  for (let at = 0; at < script.length; at += 1) {
    const character = script[at] ?? ''
    if (quote === "'" || (quote !== null && character === quote)) {
      if (character === quote) quote = null
      else word = (word ?? '') + character
    } else if (character === '\\') {
      at += 1
      const next = script[at] ?? ''
      if (next !== '\n') word = (word ?? '') + (quote === null || '"\\$`'.includes(next) ? next : `\\${next}`)
    } else if (quote !== null) word = (word ?? '') + character
    else if (character === "'" || character === '"') {
      quote = character
      word ??= ''
    } else if (character === '#' && beforeComment.test(script[at - 1] ?? ' ')) {
      const end = script.indexOf('\n', at)
      at = (end < 0 ? script.length : end) - 1
    } else if (ends.has(character)) {
      endWord()
      if (words.length > 0) commands.push(words)
      words = []
      isTarget = false
    } else if (character === '<' || character === '>') {
      endWord()
      isTarget = true
    } else if (/\s/.test(character)) endWord()
    else word = (word ?? '') + character
  }
  endWord()
  return words.length > 0 ? [...commands, words] : commands
}
