/**
 * Reads the parts of the replay file once. Its modules become one script, since a single file cannot import
 * others.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Both `src/phone-io/steps/replay` and `dist/phone-io/steps/replay` are four levels below the package.
const packageDir = new URL('../../../../', import.meta.url)
const scripts = fileURLToPath(new URL('dist/phone-io/steps/replay/page/', packageDir))
const sources = fileURLToPath(new URL('src/phone-io/steps/replay/page/', packageDir))

/** Each module comes after the modules that it imports. */
const modules = ['model.js', 'dom.js', 'words.js', 'drawing.js', 'details.js', 'player.js']

interface ReplayParts {
  /** The page up to the blocks of JSON. */
  head: string
  foot: string
}

let parts: ReplayParts | null = null

/** @throws Error when the page was not built */
export function replayParts(): ReplayParts {
  parts ??= readParts()
  return parts
}

/** Joins modules to one script: their imports name each other, and no two modules declare the same name. */
export const joined = (sourcesOfModules: readonly string[]): string =>
  sourcesOfModules
    .map((source) =>
      source
        .replace(/^import .*;?$/gm, '')
        .replace(/^export \{\};?$/gm, '')
        .replace(/^export (?=(?:async )?(?:const|function|class|let)\b)/gm, ''),
    )
    .join('\n')

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function readParts(): ReplayParts {
  const script = joined(modules.map((name) => readFileSync(`${scripts}${name}`, 'utf8')))
  const style = readFileSync(`${sources}style.css`, 'utf8')
  const policy =
    `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; ` +
    "base-uri 'none'; form-action 'none'"
  const [head = '', foot = ''] = readFileSync(`${sources}index.html`, 'utf8').split(/[ \t]*<!-- data -->\n/)
  return {
    head: head.replace('{{policy}}', () => policy).replace('<!-- style -->', () => `<style>${style}</style>`),
    foot: foot.replace('<!-- script -->', () => `<script type="module">${script}</script>`),
  }
}
