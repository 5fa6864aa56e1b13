/** The licences of the programs that the built site contains. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const contained = [
  'vitepress',
  'vue',
  'minisearch',
  'mark.js',
  'focus-trap',
  'tabbable',
  '@vueuse/core',
  '@scalar/fastify-api-reference',
]

/** @param root the checkout, with installed modules */
export function licencesText(root: string): string {
  const parts = contained.map((name) => {
    const folder = path.join(root, 'node_modules', name)
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      version: string
      license?: string
    }
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    const text = file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8').trim()
    return `${name} ${manifest.version}: ${manifest.license ?? 'see below'}\n\n${text}`
  })
  const font = readFileSync(path.join(root, 'site', 'src', 'theme', 'inter-licence.txt'), 'utf8').trim()
  return `${[...parts, `Inter, the font of the pages: OFL-1.1\n\n${font}`].join(`\n\n${'-'.repeat(72)}\n\n`)}\n`
}
