/** The console's built files, read once at start and served from memory. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** In a package, and in a checkout. `src` and `dist` are equally deep. */
const places = ['../../../console', '../../../../console/dist'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
)

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export interface ConsoleFile {
  type: string
  content: Buffer
  gzipped: Buffer
  /** Null: the build has not written it. */
  brotli: Buffer | null
}

export interface ConsoleFiles {
  /** The page. Contains `__NONCE__` where each response has another value. */
  html: string
  /** By name below `/console/assets`. */
  assets: ReadonlyMap<string, ConsoleFile>
}

/** Null: the console was not built. */
export function readConsoleFiles(): ConsoleFiles | null {
  const dir = places.find((place) => existsSync(path.join(place, 'index.html')))
  if (dir === undefined) return null
  const names = readdirSync(path.join(dir, 'assets')).filter(
    (name) => types[path.extname(name)] !== undefined,
  )
  const assets = names.map((name): [string, ConsoleFile] => {
    const content = readFileSync(path.join(dir, 'assets', name))
    const compressed = path.join(dir, 'assets', `${name}.br`)
    const brotli = existsSync(compressed) ? readFileSync(compressed) : null
    return [name, { type: types[path.extname(name)] ?? '', content, gzipped: gzipSync(content), brotli }]
  })
  return { html: readFileSync(path.join(dir, 'index.html'), 'utf8'), assets: new Map(assets) }
}
