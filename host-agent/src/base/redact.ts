/**
 * Redacts a phone's output for a log, a reason or the operator's list: removes names, and text that a tenant
 * typed, opened or stored. Pure. Used where a command's output becomes a message that is kept longer than its
 * request.
 */
import { redactSecrets } from '@phonerack/shared'

const gone = '[redacted]'

/**
 * Maximum characters of one output that are read. Further characters are dropped, since the patterns below take
 * quadratic time.
 */
const limit = 300
const looksAt = 2000

/** The order matters: a URL may contain an address, and a path may contain a quoted name. */
const rules: readonly (readonly [RegExp, string])[] = [
  // `am` repeats the given intent.
  [/\bdat=\S+/g, `dat=${gone}`],
  [/\b([a-z][a-z0-9+.-]*):\/\/[^\s"']+/gi, `$1://${gone}`],
  [/[^\s"'<>@]+@[^\s"'<>@]+\.[a-z]{2,}/gi, gone],
  [
    /(\/sdcard|\/storage\/(?:emulated|self)\/\w+|\/data\/(?:data|user|user_de|media)\/)[^:"'\n]+/g,
    `$1${gone}`,
  ],
  [/"(?:.*"|.*$)/gm, `"${gone}"`],
  // The quotation extends to the last quotation mark of the line, since the text may contain quotation marks.
  // An apostrophe inside a word does not open a quotation.
  [/(?<!\w)'(?:.*'|.*$)/gm, `'${gone}'`],
  // scrcpy names the characters that it could not type.
  [/\bu\+[0-9a-f]{4,6}/gi, `u+${gone}`],
]

/** Returns one line, cut to 300 characters. */
export function redactOutput(output: string): string {
  const text = rules.reduce(
    (left, [pattern, by]) => left.replace(pattern, by),
    redactSecrets(output.slice(0, looksAt)),
  )
  // oxlint-disable-next-line no-control-regex -- control characters are what must not reach a terminal
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  return line.length > limit ? `${line.slice(0, limit)}…` : line
}
