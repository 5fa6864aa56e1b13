/**
 * Removes the path and query of a URL, which often contain a token of the receiver. For readers who must not change the
 * URL.
 */
export function hostOnly(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/…`
}
