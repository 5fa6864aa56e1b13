/** Pages of a long list. `use-phone-pages.ts` reads only the pages in view again. */

export interface Paged<T> {
  pages: { data: T[]; next_cursor: string | null }[]
  /** The cursor of each page. */
  pageParams: (string | null)[]
}

/** Replaces the page at `at`. The next page then begins at the end of the replaced page. */
export function replacePage<T>(list: Paged<T>, at: number, page: Paged<T>['pages'][number]): Paged<T> {
  if (at >= list.pages.length) return list
  const { next_cursor: next } = page
  const length = next === null ? at + 1 : list.pages.length
  return {
    pages: list.pages.slice(0, length).map((each, index) => (index === at ? page : each)),
    pageParams: list.pageParams.slice(0, length).map((each, index) => (index === at + 1 ? next : each)),
  }
}

/** Returns each item once: an item that moved to another page is in both pages until the second page is read again. */
export function itemsOf<T extends { id: string }>(list: Pick<Paged<T>, 'pages'> | undefined): T[] {
  const items = new Map<string, T>()
  for (const { data } of list?.pages ?? [])
    for (const item of data) if (!items.has(item.id)) items.set(item.id, item)
  return [...items.values()]
}

/** The pages that contain items with these IDs; the last page if no page does. */
export function pagesOf<T extends { id: string }>(list: Paged<T>, ids: ReadonlySet<string>): number[] {
  const found = list.pages.flatMap(({ data }, at) => (data.some(({ id }) => ids.has(id)) ? [at] : []))
  return found.length > 0 ? found : [list.pages.length - 1]
}

/**
 * The indexes of the first and last of `count` items in the window. The screen shows items in the order of the list.
 * @param boxOf the item's edges in the window, in pixels
 */
export function shownItems(
  count: number,
  height: number,
  boxOf: (at: number) => { top: number; bottom: number },
): [number, number] {
  const first = firstWhere(count, (at) => boxOf(at).bottom > 0)
  const after = firstWhere(count, (at) => boxOf(at).top >= height)
  return [Math.min(first, Math.max(0, count - 1)), Math.max(0, after - 1)]
}

/** Binary search: the first index for which `holds`, which must hold for all later indexes too; `count`: no index. */
function firstWhere(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
