/** Finds the links and resources of built pages. Pure. */

export interface Page {
  /** The IDs of all elements. */
  ids: ReadonlySet<string>
  /** Values of `href` and `src`, with entities replaced. */
  targets: readonly string[]
}

const unescaped = (text: string): string =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** @param html must not contain scripts' text, which the site's pages do not have */
export function readPage(html: string): Page {
  const values = (name: RegExp): string[] =>
    [...html.matchAll(name)].map(([, value = '']) => unescaped(value))
  return {
    ids: new Set(values(/<[^>]*?\sid="([^"]*)"/g)),
    targets: values(/<[^>]*?\s(?:href|src)="([^"]*)"/g),
  }
}
