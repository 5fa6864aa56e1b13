/** The files of examples in pages. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { withExamples } from './examples.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

it('puts a file into a page as a block of code, and the versions of its packages', () => {
  const files: Record<string, string> = {
    'a/agent.mts': "const price = '$&'\n",
    'a/package.json': '{"dependencies":{"@b/c":"1.2.3","d":"4.5.6"}}',
  }
  const page = '# A\n\n<!-- versions a -->\n\n<!-- example a/agent.mts -->\n\nMore.\n'
  expect(withExamples(page, (file) => files[file] ?? '')).toBe(
    "# A\n\nTested with `@b/c` 1.2.3, `d` 4.5.6, and Node.js 24.\n\n```ts\nconst price = '$&'\n```\n\nMore.\n",
  )
})

it('every example is on exactly one page', () => {
  const pages = path.join(root, 'site/pages/frameworks')
  const texts = readdirSync(pages).map((name) => readFileSync(path.join(pages, name), 'utf8'))
  const shown = texts.flatMap((text) =>
    [...text.matchAll(/^<!-- example (\S+) -->$/gm)].map(([, file]) => file),
  )
  const examples = path.join(root, 'examples')
  const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.includes('/') && !name.endsWith('package.json'),
  )
  expect(shown.sort()).toEqual(files.sort())
})
