/** Splits a line of the shell into words at spaces. Quotes and backslashes protect spaces. */
import { UsageError } from './usage-error.js'

export function wordsOf(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at)
    if (character === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1
      word = (word ?? '') + line.charAt(at)
    } else if (quote !== null) {
      if (character === quote) quote = null
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + character
  }
  if (quote !== null) throw new UsageError(`The quote ${quote} is not closed.`)
  if (word !== null) words.push(word)
  return words
}
