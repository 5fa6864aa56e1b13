/** Builds the console. Styles that would be injected without a nonce, and a first load that is too large, fail the build. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Compressed bytes of the scripts that the page loads first. */
const maxFirstLoad = 200_000

/** sonner injects its styles without a nonce, which the policy refuses. `src/style.css` contains them. */
const withoutInjectedStyles = (): Plugin => ({
  name: 'sonner without injected styles',
  enforce: 'pre',
  transform(code, id) {
    if (!/sonner\/dist\/index\.mjs/.test(id)) return null
    const without = code.replace(/^__insertCSS\(".*"\);$/m, '')
    if (without === code) this.error('sonner has changed how it injects its styles')
    return { code: without, map: null }
  },
})

const limitFirstLoad = (): Plugin => ({
  name: 'limit of the first load',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((each) => each.type === 'chunk')
    const waiting = chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName)
    const first = new Set<string>()
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (first.has(name)) continue
      first.add(name)
      waiting.push(...(chunks.find((chunk) => chunk.fileName === name)?.imports ?? []))
    }
    const bytes = chunks
      .filter((chunk) => first.has(chunk.fileName))
      .reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0)
    if (bytes > maxFirstLoad) this.error(`the first load has ${bytes} bytes, more than ${maxFirstLoad}`)
    this.info(`first load: ${bytes} bytes of compressed script`)
  },
})

/** Compressing at each start of the server would take seconds. */
const writeCompressed = (): Plugin => ({
  name: 'compressed files',
  writeBundle({ dir = '' }, bundle) {
    for (const { fileName } of Object.values(bundle).filter(({ fileName: name }) =>
      /\.(js|css)$/.test(name),
    )) {
      const file = path.join(dir, fileName)
      const content = readFileSync(file)
      writeFileSync(`${file}.br`, brotliCompressSync(content))
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
    }
  },
})

export default defineConfig({
  base: '/console/',
  // The API of the console, for the dev server (docs/develop.md).
  server: { proxy: { '/console/api': process.env['PHONERACK_BASE_URL'] ?? 'http://127.0.0.1:7700' } },
  plugins: [react(), tailwindcss(), withoutInjectedStyles(), limitFirstLoad(), writeCompressed()],
  // The control plane replaces it with each response's nonce.
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
