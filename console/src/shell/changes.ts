/** Reads a page's data again when something changes in its project, or in any project of the user. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { urlOf } from '../api/client'

/** Milliseconds in which changes are collected before one read. */
const collectMs = 250
const restMs = 1000
/** Milliseconds until the next attempt after the server refused the stream. */
const refusedMs = 30_000

/** The number of pages up to which each change reads the phones of all projects again. */
export const fewPages = 3

/** Whether a list shows more than its newest `most` pages. */
const isLong = (data: unknown, most = 1): boolean =>
  typeof data === 'object' &&
  data !== null &&
  'pages' in data &&
  Array.isArray(data.pages) &&
  data.pages.length > most

export function useChanges(project: string): void {
  const queries = useQueryClient()
  useStream(urlOf('GET /projects/:project/changes', { project }), () => {
    for (const kind of ['phones', 'phone', 'project', 'webhooks', 'handoffs', 'control'])
      void queries.invalidateQueries({ queryKey: [kind, project] })
    // A long list of events is not read again, because each of its pages would be a request.
    void queries.invalidateQueries({
      queryKey: ['events', project],
      predicate: ({ state }) => !isLong(state.data),
    })
  })
}

/** One stream for all projects of the user. */
export function useAllChanges(): void {
  const queries = useQueryClient()
  useStream(urlOf('GET /changes', {}), () => {
    // A longer list would send a request for each of its pages, so only its interval reads it again.
    void queries.invalidateQueries({
      queryKey: ['all-phones'],
      predicate: ({ state }) => !isLong(state.data, fewPages),
    })
  })
}

/** Hidden pages have no stream: browsers open only six connections to one server. */
function useStream(url: string, readAgain: () => void): void {
  const reader = useRef(readAgain)
  reader.current = readAgain
  useEffect(() => {
    let source: EventSource | null = null
    let collecting: number | undefined
    let retry: number | undefined
    let readAt = -Infinity
    const collected = (): void => {
      collecting = undefined
      readAt = performance.now()
      reader.current()
    }
    const close = (): void => {
      source?.close()
      source = null
      clearTimeout(retry)
    }
    const open = (): void => {
      close()
      if (document.hidden) return
      source = new EventSource(url)
      source.onmessage = () => {
        const restLeftMs = readAt + restMs - performance.now()
        collecting ??= window.setTimeout(collected, Math.max(collectMs, restLeftMs))
      }
      source.onerror = () => {
        // The browser reconnects by itself unless the server refused the stream.
        if (source?.readyState === EventSource.CLOSED) retry = window.setTimeout(open, refusedMs)
      }
    }
    open()
    document.addEventListener('visibilitychange', open)
    return () => {
      document.removeEventListener('visibilitychange', open)
      close()
      clearTimeout(collecting)
    }
  }, [url])
}
