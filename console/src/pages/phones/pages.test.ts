// Finds the pages of a long list that are in view, and replaces one page.
import { describe, expect, it } from 'vitest'
import { itemsOf, pagesOf, replacePage, shownItems, type Paged } from './pages'

interface Item {
  id: string
}
const page = (ids: string, next: string | null) => ({
  data: ids.split('').map((id): Item => ({ id })),
  next_cursor: next,
})
const list = (): Paged<Item> => ({
  pages: [page('abc', 'after c'), page('def', 'after f'), page('gh', null)],
  pageParams: [null, 'after c', 'after f'],
})
const idsOf = (of: Paged<Item> | undefined) =>
  itemsOf(of)
    .map(({ id }) => id)
    .join('')

describe('a page that is read again', () => {
  it('replaces that page and leaves the others', () => {
    const after = replacePage(list(), 1, page('dXf', 'after f'))
    expect(idsOf(after)).toBe('abcdXfgh')
    expect(after.pageParams).toEqual([null, 'after c', 'after f'])
  })
  it('moves the beginning of the next page to the end of the replaced page', () => {
    const after = replacePage(list(), 0, page('nab', 'after b'))
    expect(after.pageParams).toEqual([null, 'after b', 'after f'])
    expect(idsOf(after)).toBe('nabdefgh')
    expect(idsOf(replacePage(after, 1, page('cde', 'after e')))).toBe('nabcdegh')
  })
  it('ends the list when no page follows it', () => {
    const after = replacePage(list(), 1, page('d', null))
    expect(idsOf(after)).toBe('abcd')
    expect(after.pageParams).toEqual([null, 'after c'])
  })
  it('ignores a page that is past the end of a list that has become shorter', () => {
    expect(replacePage(list(), 3, page('z', null))).toEqual(list())
  })
})

it('shows an item of two pages once', () => {
  expect(idsOf(replacePage(list(), 0, page('abcd', 'after d')))).toBe('abcdefgh')
  expect(idsOf(undefined)).toBe('')
})

it('finds the pages of items', () => {
  expect(pagesOf(list(), new Set('abc'))).toEqual([0])
  expect(pagesOf(list(), new Set('cd'))).toEqual([0, 1])
  // The list on the screen has another order.
  expect(pagesOf(list(), new Set('ha'))).toEqual([0, 2])
  expect(pagesOf({ pages: [page('', null)], pageParams: [null] }, new Set())).toEqual([0])
})

it('finds the items in the window, in rows of one and of several', () => {
  const rows = (columns: number, scrolled: number) => (at: number) => {
    const top = Math.floor(at / columns) * 100 - scrolled
    return { top, bottom: top + 100 }
  }
  expect(shownItems(1000, 800, rows(1, 0))).toEqual([0, 7])
  expect(shownItems(1000, 800, rows(1, 50_050))).toEqual([500, 508])
  expect(shownItems(1000, 800, rows(4, 450))).toEqual([16, 51])
  // All items are above or below the window.
  expect(shownItems(10, 800, rows(1, 5000))).toEqual([9, 9])
  expect(shownItems(10, 800, rows(1, -900))).toEqual([0, 0])
})
