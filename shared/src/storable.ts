/** Text from phones, hosts and tenants, made fit for Postgres and JSON. */

/**
 * `text` with U+FFFD in place of each NUL and half surrogate pair, which Postgres cannot store, and cut to `most`
 * characters (UTF-16 units) with `…` as the last one.
 */
export function storable(text: string, most: number): string {
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text
  return cut.replace(/[\0\p{Surrogate}]/gu, '\u{fffd}')
}
