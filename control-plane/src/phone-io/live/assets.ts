/** The page's files, read once at start and served from memory. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { protocol } from './page/wire.js'

// Both `src/phone-io/live` and `dist/phone-io/live` are three levels below the package.
const packageDir = new URL('../../../', import.meta.url)
const scripts = fileURLToPath(new URL('dist/phone-io/live/page/', packageDir))
const sources = fileURLToPath(new URL('src/phone-io/live/page/', packageDir))
/**
 * Media Source Extensions need MP4, which this library writes. The library's script also loads as a module.
 */
const mux = createRequire(import.meta.url).resolve('mux.js/dist/mux-mp4.min.js')
/** Modules that only some browsers load; see `page/choose-player.ts`. */
const onDemand = new Set(['mse-player.js', 'film.js', 'fragments.js', 'mux.js'])

/** One stylesheet, in this order: later rules override earlier rules. */
const styles = ['style.css', 'layout.css', 'handoff.css', 'ending.css']

/** The script that is inlined into the page. */
const inline = 'early.js'

interface Assets {
  html: string
  /** The hash of the inline script, which the page's CSP must allow. */
  scriptHash: string
  /** Changes with any file, so that browsers may cache the files under this path forever. */
  version: string
  files: ReadonlyMap<string, { type: string; content: Buffer }>
}

/** @throws Error when the page was not built */
export function readAssets(base: string): Assets {
  const files = new Map<string, { type: string; content: Buffer }>()
  for (const name of readdirSync(scripts)
    .filter((each) => each.endsWith('.js') && each !== inline)
    .sort())
    files.set(name, { type: 'text/javascript; charset=utf-8', content: readFileSync(`${scripts}${name}`) })
  if (!files.has('main.js')) throw new Error(`the live page was not built: ${scripts}main.js is missing`)
  files.set('mux.js', { type: 'text/javascript; charset=utf-8', content: readFileSync(mux) })
  const style = Buffer.concat(styles.map((name) => readFileSync(`${sources}${name}`)))
  files.set('style.css', { type: 'text/css; charset=utf-8', content: style })
  files.set('icon.svg', { type: 'image/svg+xml', content: readFileSync(`${sources}icon.svg`) })
  const hash = createHash('sha256')
  for (const [name, { content }] of files) hash.update(name).update(content)
  const version = hash.digest('hex').slice(0, 16)
  const preload = [...files.keys()]
    .filter((name) => name.endsWith('.js') && !onDemand.has(name))
    .map((name) => `<link rel="modulepreload" href="${base}/${version}/${name}" />`)
    .join('\n    ')
  const early = readFileSync(`${scripts}${inline}`, 'utf8').replace('{{protocol}}', protocol)
  const html = readFileSync(`${sources}index.html`, 'utf8')
    .replaceAll('{{assets}}', `${base}/${version}`)
    .replace('<!-- early -->', () => `<script type="module" async>${early}</script>`)
    .replace('<!-- modules -->', preload)
  const scriptHash = `'sha256-${createHash('sha256').update(early).digest('base64')}'`
  return { html, scriptHash, version, files }
}
