/** The configuration of VitePress. It composes the pages first. `npm run build` writes the site to `dist/public`. */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@phonerack/control-plane/openapi'
import { defineConfigWithTheme } from 'vitepress'
import { apiReferenceProgram } from './compose/api-reference.js'
import { compose } from './compose/compose.js'
import { compressTexts } from './compose/compress.js'
import type { ApiDocument } from './compose/endpoints.js'
import { InlineScripts } from './compose/inline-scripts.js'
import { licencesText } from './compose/licences.js'
import { anchorOf } from './compose/links.js'
import { writeMarkdown } from './compose/markdown.js'
import { nav, sidebar } from './navigation.js'
import type { ThemeConfig } from './theme/config.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const base = '/docs/'
const pages = path.join(root, 'site', 'dist', 'pages')

/** Writes the program of the API reference under a name with its hash, and returns its path below the base. */
async function writeApiReference(): Promise<string> {
  const code = await apiReferenceProgram()
  const name = `assets/api-reference.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
  const file = path.join(pages, 'public', name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, code)
  return `/${name}`
}

export default async () => {
  const api = (await openApiDocument('http://127.0.0.1:7700')) as ApiDocument
  const { operations } = compose(root, pages, api)
  const apiReference = await writeApiReference()
  for (const file of ['control-plane/src/phone-io/live/page/icon.svg', 'docs/images/live-view.png'])
    copyFileSync(path.join(root, file), path.join(pages, 'public', path.basename(file)))
  writeFileSync(path.join(pages, 'public', 'licences.txt'), licencesText(root))
  const scripts = new InlineScripts()
  const menus = sidebar(operations)

  return defineConfigWithTheme<ThemeConfig>({
    base,
    lang: 'en',
    title: 'Phonerack',
    description: 'Real Android phones for software agents, over one API.',
    srcDir: 'dist/pages',
    outDir: 'dist/public',
    cleanUrls: true,
    metaChunk: true,
    head: [
      ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }],
      ['meta', { name: 'theme-color', content: '#1d5fd1' }],
    ],
    markdown: { anchor: { slugify: anchorOf }, theme: { light: 'github-light', dark: 'github-dark' } },
    themeConfig: {
      apiReference,
      logo: '/icon.svg',
      nav,
      sidebar: menus,
      outline: { level: [2, 3] },
      search: {
        provider: 'local',
        // The default of 0.2 finds "and" for "hand".
        options: { detailedView: true, miniSearch: { searchOptions: { fuzzy: 0.1 } } },
      },
      docFooter: { prev: 'Before', next: 'Next' },
      externalLinkIcon: true,
    },
    vite: { build: { chunkSizeWarningLimit: 2000 } },
    transformHtml: (html) => scripts.moved(html, base),
    buildEnd({ outDir }) {
      scripts.write(outDir)
      writeMarkdown(pages, outDir, menus, ['/', '/reference/'])
      rmSync(path.join(outDir, 'hashmap.json'), { force: true })
      compressTexts(outDir)
    },
  })
}
