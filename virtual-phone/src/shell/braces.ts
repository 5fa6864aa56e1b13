/** Brace expansion: `{a,b}c` → `ac bc`, before any other expansion. Used by `expand.ts`. */
import type { Word, WordPart } from './ast.js'

/** One character of unquoted text, or an indivisible part. `quoted`: after a backslash. */
type Item = { text: string; quoted: boolean } | { part: WordPart }

/** Returns the expansion of a word; most words expand to themselves. */
export function expandBraces(word: Word): Word[] {
  if (!word.some((part) => part.kind === 'literal' && part.text.includes('{'))) return [word]
  return expand(itemsOf(word)).map(wordOf)
}

function itemsOf(word: Word): Item[] {
  return word.flatMap((part): Item[] =>
    part.kind === 'literal'
      ? (part.text.match(/\\[^]|[^]/g) ?? []).map((text) => ({ text, quoted: text.length > 1 }))
      : [{ part }],
  )
}

function wordOf(items: readonly Item[]): Word {
  const word: WordPart[] = []
  for (const item of items) {
    const last = word.at(-1)
    if ('part' in item) word.push(item.part)
    else if (last?.kind === 'literal')
      word[word.length - 1] = { kind: 'literal', text: last.text + item.text }
    else word.push({ kind: 'literal', text: item.text })
  }
  return word
}

const is = (item: Item | undefined, text: string) =>
  item !== undefined && 'text' in item && item.text === text

function expand(items: readonly Item[]): Item[][] {
  for (let start = 0; start < items.length; start++) {
    if (!is(items[start], '{')) continue
    const group = groupAt(items, start)
    if (group === null) continue
    const before = items.slice(0, start)
    const after = expand(items.slice(group.end + 1))
    return group.choices
      .flatMap((choice) => expand(choice))
      .flatMap((choice) => after.map((rest) => [...before, ...choice, ...rest]))
  }
  return [[...items]]
}

/** Returns the alternatives of a group that begins here; null when the group has no comma or no end. */
function groupAt(items: readonly Item[], start: number): { choices: Item[][]; end: number } | null {
  const choices: Item[][] = [[]]
  let depth = 0
  for (let at = start + 1; at < items.length; at++) {
    const item = items[at]
    if (item === undefined) break
    if (depth === 0 && is(item, '}')) return choices.length > 1 ? { choices, end: at } : null
    if (depth === 0 && is(item, ',')) {
      choices.push([])
      continue
    }
    if (is(item, '{')) depth += 1
    if (is(item, '}')) depth -= 1
    choices.at(-1)?.push(item)
  }
  return null
}
