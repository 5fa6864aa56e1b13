/**
 * Lists as answers of tools. Claude Code refuses an answer over 25,000 tokens, and other clients cut it, so an answer has the
 * entries that fit, and names the call for the next entries. Clients show either the text or the structured content, so the
 * longer form must fit.
 */
import { type Schema, type ToolAnswer } from './tool.js'
import { integer, list, object, orNull, string } from './schemas.js'
import { entryLine, quoted } from './text.js'

/** Bytes of the content of an answer. A token is counted as 2.5 bytes. */
export const maxBytes = 50_000

interface Page<T> {
  data: T[]
  next_cursor?: string | null
}
type Line<T> = (entry: T) => string

/** Output of a tool that answers with `pageAnswer`, and with `partAnswer`. */
export const pageOutput: Record<string, Schema> = { data: list(object), next_cursor: orNull(string) }
export const partOutput: Record<string, Schema> = { data: list(object), next_offset: orNull(integer) }

const bytesOf = <T extends object>(entry: T, line: Line<T>): number =>
  Math.max(Buffer.byteLength(quoted(entry)), Buffer.byteLength(line(entry))) + 1

/** The first entries that fit, but at least one. Long texts in a large entry are cut. */
export function fitting<T extends object>(
  entries: readonly T[],
  line: Line<T> = entryLine,
  bytes = maxBytes,
): T[] {
  const shown: T[] = []
  let left = bytes
  for (const entry of entries) {
    const short = shortened(entry, (each) => bytesOf(each, line) <= bytes)
    left -= bytesOf(short, line)
    if (left < 0 && shown.length > 0) break
    shown.push(short)
  }
  return shown
}

/** The longest texts of an entry in characters, tried one after the other. */
const textLengths = [10_000, 2000, 400, 80]

function shortened<T extends object>(entry: T, fits: (entry: T) => boolean): T {
  let short = entry
  for (const most of textLengths) if (!fits(short)) short = cutTexts(entry, most) as T
  return short
}

export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`

/** Returns a copy of the value with shortened texts. */
export function cutTexts(value: unknown, most: number): unknown {
  if (typeof value === 'string') return cutText(value, most)
  if (Array.isArray(value)) return value.map((each) => cutTexts(each, most))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cutTexts(each, most)]))
}

/**
 * @param read reads the page with at most `limit` entries. It is repeated with a lower limit, and the cursor
 * then follows the last entry
 */
export async function pageAnswer<T extends object, P extends Page<T>>(
  read: (limit?: number) => Promise<P>,
  what: string,
  line: Line<T> = entryLine,
): Promise<ToolAnswer> {
  for (let limit: number | undefined; ;) {
    const page = await read(limit)
    const data = fitting(page.data, line)
    limit = data.length
    if (limit === page.data.length) return wholePage({ ...page, data }, what, line)
  }
}

/** A page that fits. */
export function wholePage<T extends object>(
  { data, next_cursor: cursor = null, ...fields }: Page<T>,
  what: string,
  line: Line<T> = entryLine,
): ToolAnswer {
  const more = cursor === null ? [] : [`next_cursor ${quoted(cursor)}: call again with it as cursor`]
  return {
    structured: { ...fields, data, next_cursor: cursor },
    text: [`${data.length} ${what}`, ...data.map(line), ...more].join('\n'),
  }
}

/** A list that the API returns whole, from `offset` on. */
export function partAnswer(
  all: readonly object[],
  offset: number,
  what: string,
  fields: object = {},
  bytes = maxBytes,
): ToolAnswer {
  const data = fitting(all.slice(offset), entryLine, bytes)
  const end = offset + data.length
  const left = all.length - end
  return {
    structured: { ...fields, data, next_offset: left > 0 ? end : null },
    text: [
      `${all.length} ${what}${offset > 0 ? `, from offset ${offset}` : ''}`,
      ...data.map(entryLine),
      ...(left > 0 ? [`next_offset ${end}: call again with it as offset for ${left} more`] : []),
    ].join('\n'),
  }
}
