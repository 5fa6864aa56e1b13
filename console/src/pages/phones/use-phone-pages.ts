/** The phones of a project, loaded page by page. Pages in view are read again when something changes, and every 10 s. */
import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/client'
import { type Phone, type PhoneFilter, type PhonePage } from '../../api/types'
import { sortByNeed, type Need } from '../../shell/handoffs'
import { itemsOf, pagesOf, replacePage, shownItems } from './pages'

/**
 * Milliseconds between two reads of a page in view, because some changes, such as of the parking time, are not events.
 */
const refreshMs = 10_000
/** Milliseconds between two checks of the pages in view while the window scrolls. */
const checkMs = 250

type List = InfiniteData<PhonePage, string | null>

/** @param needs by the ID of the phone: phones that wait for a person come first */
export function usePhonePages(project: string, filter: PhoneFilter, needs: ReadonlyMap<string, Need>) {
  const queries = useQueryClient()
  /** The element that contains the list. */
  const box = useRef<HTMLDivElement>(null)
  /** The time at which each page was read. */
  const [readAt] = useState((): number[] => [])
  const read = async (cursor: string | null, at: number): Promise<PhonePage> => {
    const page = await call('GET /projects/:project/phones', { project, ...filter, cursor })
    readAt[at] = performance.now()
    return page
  }
  const queryKey = ['phone pages', project, filter]
  const current = (): List | undefined => queries.getQueryData<List>(queryKey)
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam, current()?.pages.length ?? 0),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // A refetch of the infinite query would read all pages.
    staleTime: Infinity,
  })
  const inView = (): number[] => {
    const rows = box.current?.querySelector('ul')?.children
    const data = current()
    if (!data) return []
    if (!rows) return [0]
    const [first, last] = shownItems(
      rows.length,
      window.innerHeight,
      (at) => rows[at]?.getBoundingClientRect() ?? { top: 0, bottom: 0 },
    )
    const shown = sortByNeed(itemsOf<Phone>(data), needs).slice(first, last + 1)
    return pagesOf(data, new Set(shown.map(({ id }) => id)))
  }

  // Changes of the project invalidate this query.
  const again = useQuery({
    queryKey: ['phones', project, filter],
    async queryFn({ signal }) {
      for (const at of inView()) {
        const cursor = current()?.pageParams[at]
        if (cursor === undefined) break
        const page = await read(cursor, at)
        if (signal.aborted) break
        queries.setQueryData<List>(queryKey, (now) => now && replacePage(now, at, page))
      }
      return Date.now()
    },
    enabled: list.data !== undefined,
    initialData: 0,
    refetchInterval: refreshMs,
  })

  const refreshOldest = useRef<() => void>(() => undefined)
  refreshOldest.current = () => {
    const [oldest = 0] = inView()
      .map((at) => readAt[at] ?? -Infinity)
      .sort((one, other) => one - other)
    if (performance.now() - oldest > refreshMs) void again.refetch()
  }
  useEffect(() => {
    let timer: number | undefined
    const scrolled = (): void => {
      timer ??= window.setTimeout(() => {
        timer = undefined
        refreshOldest.current()
      }, checkMs)
    }
    window.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      window.removeEventListener('scroll', scrolled)
      clearTimeout(timer)
    }
  }, [])

  return { box, list, again, phones: sortByNeed(itemsOf<Phone>(list.data), needs) }
}
