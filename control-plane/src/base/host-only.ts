/** An address without its path and query, which often hold a token of the receiver. For readers who cannot change it. */
export function hostOnly(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/…`
}
