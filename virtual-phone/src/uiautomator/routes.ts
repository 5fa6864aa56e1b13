/** Finds the handler of a request. Paths can have `:name` sections, as in the server's `AppiumServlet`. */
import type { JsonObject } from './session.js'

type Method = 'GET' | 'POST' | 'DELETE'

export interface Call {
  /** The values of the `:name` sections in the path. */
  path: Readonly<Record<string, string>>
  body: JsonObject
}

export interface Route<Handler> {
  method: Method
  /** The pattern in the table. */
  name: string
  sections: readonly string[]
  handler: Handler
}

/** `table`: `GET /session/:sessionId/source` → handler. */
export function routesOf<Handler>(table: Readonly<Record<string, Handler>>): Route<Handler>[] {
  return Object.entries(table).map(([key, handler]) => {
    const [method = '', path = ''] = key.split(' ')
    return { method: method as Method, name: key, sections: path.split('/'), handler }
  })
}

/** Null for an unknown command. `url` has no query; a leading `/wd/hub` is ignored. */
export function findRoute<Handler>(
  routes: readonly Route<Handler>[],
  method: string,
  url: string,
): { name: string; handler: Handler; path: Record<string, string> } | null {
  const sections = (url.split('?')[0] ?? '').replace(/^\/wd\/hub/, '').split('/')
  for (const route of routes) {
    if (route.method !== method || route.sections.length !== sections.length) continue
    const path: Record<string, string> = {}
    const fits = route.sections.every((wanted, at) => {
      const given = sections[at] ?? ''
      if (wanted.startsWith(':')) path[wanted.slice(1)] = decoded(given)
      return wanted.startsWith(':') || wanted === given
    })
    if (fits) return { name: route.name, handler: route.handler, path }
  }
  return null
}

function decoded(section: string): string {
  try {
    return decodeURIComponent(section)
  } catch (error) {
    if (error instanceof URIError) return section
    throw error
  }
}
