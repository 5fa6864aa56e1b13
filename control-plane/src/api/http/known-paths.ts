/** Knows the methods of each path, which distinguishes a 405 from a 404 and fills `Allow`. */
import type { FastifyInstance } from 'fastify'

export interface KnownPaths {
  /** Returns the sorted methods of a request target's path; empty for an unknown path. */
  methodsAt(target: string): string[]
}

const toPattern = (route: string): RegExp =>
  new RegExp(
    `^${route
      .split('/')
      .map((part) => {
        if (part === '*') return '.*'
        return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      })
      .join('/')}$`,
  )

/** Returns the path of a request target without its query, percent-decoded where possible. */
export function pathOf(target: string): string {
  const path =
    (target.startsWith('/') ? target : target.replace(/^[a-z]+:\/\/[^/?#]*/i, '')).split(/[?#]/, 1)[0] ?? ''
  try {
    return decodeURI(path)
  } catch (error) {
    if (error instanceof URIError) return path
    throw error
  }
}

/** Records every route that is registered on `app` from now on. */
export function watchPaths(app: FastifyInstance): KnownPaths {
  const known = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', (route) => {
    const entry = known.get(route.url) ?? { pattern: toPattern(route.url), methods: new Set<string>() }
    known.set(route.url, entry)
    for (const method of [route.method].flat()) entry.methods.add(method)
  })
  return {
    methodsAt(target) {
      const path = pathOf(target)
      const found = [...known.values()].filter(({ pattern }) => pattern.test(path))
      return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort()
    },
  }
}
