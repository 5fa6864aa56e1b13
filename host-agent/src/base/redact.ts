/**
 * What a phone printed, as it may stand in a log, a reason or the operator's list: without what a tenant typed, opened,
 * stored or is called. Pure. Used where output of a command becomes a message that outlives its request.
 */
import { redactSecrets } from '@phonerack/shared'

const gone = '[redacted]'

/** Characters of one output that are kept, and that are looked at: the patterns below take quadratic time. */
const limit = 300
const looksAt = 2000

/** In this order: a URL may hold an address, a path a quoted name. */
const rules: readonly (readonly [RegExp, string])[] = [
  // `am` repeats the intent that it was given.
  [/\bdat=\S+/g, `dat=${gone}`],
  [/\b([a-z][a-z0-9+.-]*):\/\/[^\s"']+/gi, `$1://${gone}`],
  [/[^\s"'<>@]+@[^\s"'<>@]+\.[a-z]{2,}/gi, gone],
  [
    /(\/sdcard|\/storage\/(?:emulated|self)\/\w+|\/data\/(?:data|user|user_de|media)\/)[^:"'\n]+/g,
    `$1${gone}`,
  ],
  [/"(?:.*"|.*$)/gm, `"${gone}"`],
  // To the last quotation mark of the line, since the text may hold some itself. An apostrophe inside of a word opens no quotation.
  [/(?<!\w)'(?:.*'|.*$)/gm, `'${gone}'`],
  // scrcpy names the characters that it could not type.
  [/\bu\+[0-9a-f]{4,6}/gi, `u+${gone}`],
]

/** One line, cut to 300 characters. */
export function redactOutput(output: string): string {
  const text = rules.reduce(
    (left, [pattern, by]) => left.replace(pattern, by),
    redactSecrets(output.slice(0, looksAt)),
  )
  // oxlint-disable-next-line no-control-regex -- control characters are what must not reach a terminal
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  return line.length > limit ? `${line.slice(0, limit)}…` : line
}
