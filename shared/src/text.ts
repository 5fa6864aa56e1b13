/** Makes clients' text storable in Postgres. Lengths are Unicode code points. */

/**
 * Postgres cannot store NUL, and half of a surrogate pair has no UTF-8. `isStorable` and `makeStorable` share
 * this pattern.
 */
const notStorable = /[\0\p{Surrogate}]/u
const eachNotStorable = new RegExp(notStorable.source, 'gu')

export const isStorable = (text: string): boolean => !notStorable.test(text)

/** Replaces each character that cannot be stored by U+FFFD. */
export const makeStorable = (text: string): string => text.replace(eachNotStorable, '\uFFFD')

/** Cuts the text to `most` code points and marks the cut with `…`. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  for (let count = 0; count < most && end < text.length; count += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return end < text.length ? `${text.slice(0, end)}…` : text
}
