// The prose check: which sentences of a file break a rule of `rules.mjs`.
import { fragmentsOf } from './fragments.mjs'
import { compiled } from './rules.mjs'

export { rules } from './rules.mjs'

/** @returns {{ line: number, column: number, rule: string, better: string, text: string }[]} in the order of the file */
export function hitsIn(path, source) {
  const hits = []
  for (const { at, text } of fragmentsOf(path, source)) {
    for (const { name, better, pattern } of compiled) {
      for (const match of text.matchAll(pattern)) {
        const index = at + match.index
        hits.push({ index, rule: name, better, text: match[0].replaceAll(/\s+/g, ' ').slice(0, 80) })
      }
    }
  }
  hits.sort((a, b) => a.index - b.index)
  return hits.map(({ index, ...hit }) => {
    const before = source.slice(0, index).split('\n')
    return { line: before.length, column: (before.at(-1) ?? '').length + 1, ...hit }
  })
}
