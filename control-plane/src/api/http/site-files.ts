/** Built files that the service serves, listed once at the start: a request can only name a listed file. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** The folder with built pages in an installed package, or else in a checkout; null when they were not built. */
function builtFolder(...places: readonly string[]): string | null {
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  return folders.find((folder) => existsSync(path.join(folder, 'index.html'))) ?? null
}

export const siteFolder = (): string | null => builtFolder('../../../site/', '../../../../site/dist/public/')
export const consoleFolder = (): string | null =>
  builtFolder('../../../console/', '../../../../console/dist/')

/** Adds `reply.sendFile`, which chooses a compressed copy by `Accept-Encoding`. */
export const addSendFile = (app: FastifyInstance, root: string) =>
  app.register(fastifyStatic, { root, serve: false, preCompressed: true, cacheControl: false })

/** The content of a hashed name never changes; browsers revalidate all other files each time. */
export const caching = { hashed: 'public, max-age=31536000, immutable', other: 'no-cache' }

export interface SiteFile {
  /** Relative to the folder, with `/`. */
  name: string
  isPage: boolean
  /** Whether the file's name contains a hash of the file's content. */
  isHashed: boolean
}

/** Shown for paths that do not exist. */
export const notFoundPage = '404.html'

/**
 * Returns the files by their path below `/docs`, without a leading slash. Pages have no file ending, and `index` has
 * the path of its folder.
 */
export function readSite(folder: string): ReadonlyMap<string, SiteFile> {
  const files = new Map<string, SiteFile>()
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const name = path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')
    // Compressed copies are chosen by `Accept-Encoding`.
    if (!entry.isFile() || name.endsWith('.gz') || name === notFoundPage) continue
    const isPage = name.endsWith('.html')
    const file = { name, isPage, isHashed: name.startsWith('assets/') }
    if (!isPage) files.set(name, file)
    if (name.startsWith('packages/')) files.set(withoutVersion(name), file)
    for (const url of isPage ? pageUrls(name) : []) files.set(url, file)
  }
  return files
}

/** Guides name packages without a version. */
const withoutVersion = (name: string): string => name.replace(/-\d[^/]*(?=\.tgz$)/, '')

function pageUrls(name: string): string[] {
  const url = name.slice(0, -'.html'.length)
  if (url === 'index') return ['']
  return url.endsWith('/index') ? [url.slice(0, -'index'.length), url.slice(0, -'/index'.length)] : [url]
}
