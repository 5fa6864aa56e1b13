/** The files of the documentation site, listed once at the start: a request can only name a listed file. Used by `docs.ts`. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the site in an installed package, then in a checkout. */
const places = ['../../../site/', '../../../../site/dist/public/']

/** The folder of the built site; null when it was not built. */
export function siteFolder(): string | null {
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  return folders.find((folder) => existsSync(path.join(folder, 'index.html'))) ?? null
}

export interface SiteFile {
  /** Relative to the folder, with `/`. */
  name: string
  isPage: boolean
  /** Whether its name contains a hash of its content. */
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
