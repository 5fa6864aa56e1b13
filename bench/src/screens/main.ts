/** `./scripts/screens`: runs commands of `phonerack` in a pseudo-terminal and draws the terminal's screen. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openBrowser } from '@phonerack/e2e/system/browser.js'
import { withParts, type Parts } from '@phonerack/e2e/system/parts.js'
import { root } from '@phonerack/e2e/system/system.js'
import { inTerminal } from './pseudo-terminal.js'
import { escaped, screenOf } from './terminal.js'

const columns = 100
const folder = path.join(root, 'docs', 'screens')
const program = path.join(root, 'clients/cli/dist/cli.js')

/** The commands before the picture, and the commands in it. Typed lines are for the shell. */
interface Scene {
  name: string
  before?: string[]
  shown: string[]
  typed?: string[]
  /** The exit code of the commands in the picture. Default: 0. */
  exitCode?: number
}
const scenes: readonly Scene[] = [
  { name: 'cli-help', shown: ['phonerack --help'] },
  { name: 'cli-create', shown: ['phonerack phone create --name shop --metadata run=7 --use'] },
  { name: 'cli-status', shown: ['phonerack status', 'phonerack doctor'] },
  {
    name: 'cli-observe',
    before: ['phonerack phone open com.phonerack.shop'],
    shown: ['phonerack phone observe'],
  },
  { name: 'cli-tap-failed', shown: ['phonerack phone tap --text Kitchen'], exitCode: 9 },
  {
    name: 'cli-list',
    before: [
      'phonerack phone create --name Übersetzung',
      'phonerack phone create --name job-7',
      'phonerack phone park Übersetzung',
    ],
    shown: ['phonerack phone list', 'phonerack phone get job-7'],
  },
  { name: 'cli-account', shown: ['phonerack account'] },
  {
    name: 'cli-shell',
    shown: ['phonerack phone prompt'],
    typed: [
      'open com.phonerack.notes',
      'tap --desc "New note"',
      'type "Milk and bread" --text Title',
      'observe',
      'tap 3',
      'quit',
    ],
  },
]

async function draw(parts: Parts): Promise<void> {
  const home = await mkdtemp(path.join(tmpdir(), 'phonerack-screens-'))
  parts.add(() => rm(home, { recursive: true, force: true }))
  const browser = await parts.start(openBrowser(), (each) => each.close())
  const system = await parts.startSystem({ virtualPhones: 3 })
  const { base_url: baseUrl, keys } = system.up
  const bin = path.join(home, 'bin')
  await mkdir(bin)
  await writeFile(path.join(bin, 'phonerack'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  })
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  }
  const terminal = { columns, env, cwd: home, limitMs: 120_000 }

  await writeFile(path.join(home, 'key'), keys.agent, { mode: 0o600 })
  await inTerminal(`phonerack login --base-url ${baseUrl} --key-from-stdin < key`, terminal)
  const page = await browser.newPage({ deviceScaleFactor: 1.5, viewport: { width: 1000, height: 400 } })
  for (const { name, before = [], shown, typed = [], exitCode = 0 } of scenes) {
    for (const command of before) await inTerminal(command, terminal)
    const texts: string[] = []
    for (const command of shown) {
      const output = await inTerminal(command, terminal, { typed, exitCode })
      texts.push(`<b>$</b> ${escaped(command)}\n${screenOf(output.replaceAll(home, '~'), columns)}`)
    }
    await page.setContent(`<!doctype html><meta charset="utf-8"><style>
      body { margin: 0 }
      pre { display: inline-block; box-sizing: border-box; min-width: 640px; margin: 0; padding: 16px 20px;
        background: #0d1117; color: #e6edf3; font: 14px/1.4 'DejaVu Sans Mono', monospace }
      pre > b { color: #7ee787 }
    </style><pre>${texts.join('\n\n')}</pre>`)
    await page.locator('pre').screenshot({ path: path.join(folder, `${name}.png`) })
    process.stdout.write(`docs/screens/${name}.png\n`)
  }
}

await withParts(draw)
