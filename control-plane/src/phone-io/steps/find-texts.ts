/**
 * Finds many texts in one pass, in any case, with the automaton of Aho and Corasick. Used by `redact.ts`. The
 * time depends only on the searched value; the time of a regular expression also grows with the texts, which
 * tenants choose. Pure.
 */

/** The UTF-16 units from `from` up to and without `to`. */
export interface Span {
  from: number
  to: number
}

/** The number of UTF-16 units. */
const unitCount = 0x1_0000

/** @param texts not empty @returns a search, whose spans are in order and do not touch each other */
export function createFinder(texts: readonly string[]): (value: string) => Span[] {
  /** The next node, by node and unit. Node 0 is the root. */
  const edges = new Map<number, number>()
  /** The node of the longest suffix, by node. */
  const suffixes = [0]
  /** The length in units of the longest text that ends at a node, by node; 0: no text ends there. */
  const lengths = [0]

  const follow = (from: number, unit: number): number => {
    for (let node = from; ; node = suffixes[node] ?? 0) {
      const child = edges.get(node * unitCount + unit)
      if (child !== undefined) return child
      if (node === 0) return 0
    }
  }
  const add = (parent: number, unit: number): number => {
    const node = suffixes.length
    const suffix = parent === 0 ? 0 : follow(suffixes[parent] ?? 0, unit)
    suffixes.push(suffix)
    lengths.push(lengths[suffix] ?? 0)
    edges.set(parent * unitCount + unit, node)
    return node
  }
  // Nodes are processed level by level, since the suffix of a node is on an earlier level.
  let open = texts.map((text) => ({ text: fold(text), node: 0 }))
  for (let depth = 0; open.length > 0; depth += 1) {
    for (const each of open) {
      const unit = each.text.charCodeAt(depth)
      each.node = edges.get(each.node * unitCount + unit) ?? add(each.node, unit)
    }
    for (const { text, node } of open) if (text.length === depth + 1) lengths[node] = text.length
    open = open.filter(({ text }) => text.length > depth + 1)
  }

  return (value) => {
    if (edges.size === 0) return []
    const folded = fold(value)
    const spans: Span[] = []
    let node = 0
    for (let at = 0; at < folded.length; at += 1) {
      node = follow(node, folded.charCodeAt(at))
      const length = lengths[node] ?? 0
      if (length > 0) addSpan(spans, { from: at + 1 - length, to: at + 1 })
    }
    return spans
  }
}

/** Adds a span, and joins it with the spans that it touches. The new span ends after all others. */
function addSpan(spans: Span[], { from, to }: Span): void {
  let first = from
  for (let last = spans.at(-1); last && last.to >= from; last = spans.at(-1)) {
    first = Math.min(first, last.from)
    spans.pop()
  }
  spans.push({ from: first, to })
}

/** Folds the case of a text without changing its length. */
function fold(text: string): string {
  const folded = text.toLowerCase().toUpperCase()
  return folded.length === text.length ? folded : Array.from(text, foldOne).join('')
}

/** Some characters become two characters in the other case, such as the German sharp s. */
function foldOne(character: string): string {
  const lower = character.toLowerCase()
  const upper = lower.toUpperCase()
  if (upper.length === character.length) return upper
  return lower.length === character.length ? lower : character
}
