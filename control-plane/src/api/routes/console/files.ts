/** The console's built files, read once at start and served from memory. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the console in a package, then in a checkout. `src` and `dist` have the same depth. */
const places = ['../../../../console', '../../../../../console/dist'].map((place) =>
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
  /** Null for files that are not scripts or styles, which the build does not compress. */
  gzip: Buffer | null
  brotli: Buffer | null
}

export interface ConsoleFiles {
  /** The page. Each response replaces `__NONCE__` with a new value. */
  html: string
  /** By name below `/console/assets`. */
  assets: ReadonlyMap<string, ConsoleFile>
}

/** Returns null if the console was not built. */
export function readConsoleFiles(): ConsoleFiles | null {
  const dir = places.find((place) => existsSync(path.join(place, 'index.html')))
  if (dir === undefined) return null
  const names = readdirSync(path.join(dir, 'assets')).filter(
    (name) => types[path.extname(name)] !== undefined,
  )
  const assets = names.map((name): [string, ConsoleFile] => {
    const file = path.join(dir, 'assets', name)
    const [gzip = null, brotli = null] = ['.gz', '.br'].map((ending) =>
      existsSync(file + ending) ? readFileSync(file + ending) : null,
    )
    return [name, { type: types[path.extname(name)] ?? '', content: readFileSync(file), gzip, brotli }]
  })
  return { html: readFileSync(path.join(dir, 'index.html'), 'utf8'), assets: new Map(assets) }
}
