// `./scripts/commands`: writes docs/commands.md from the first comment and the `--help` of each script and of
// ctl, writes docs/settings.md from the schemas of the settings, and draws the pictures of
// docs/architecture.md. With --check it only compares. Needs a build.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { format } from 'oxfmt'
import { withPictures } from './pictures.mjs'
import { settingsPage } from './settings.mjs'

const root = path.resolve(import.meta.dirname, '..', '..')

/** Programs that print their usage for `--help`, by the script that runs them. */
const programs = {
  up: 'launcher/dist/up.js',
  down: 'launcher/dist/down.js',
  backup: 'launcher/dist/backup.js',
  restore: 'launcher/dist/restore.js',
  ctl: 'clients/ctl/dist/main.js',
  'control-plane': 'control-plane/dist/cli.js',
  agent: 'host-agent/dist/cli.js',
  package: 'launcher/dist/package.js',
  release: 'scripts/lib/release/main.mjs',
  test: 'scripts/lib/checks.mjs',
}

const order = [
  'up',
  'down',
  'backup',
  'restore',
  'ctl',
  'control-plane',
  'agent',
  'package',
  'release',
  'test',
  'bench',
  'contract',
  'chaos',
  'test-upgrade',
  'fuzz-host',
  'runtimes',
  'conformance',
  'decisions',
  'check-monitoring',
  'check-compose',
  'check-helm',
]

function scripts() {
  const folder = path.join(root, 'scripts')
  const names = readdirSync(folder).filter(
    (name) => /^[a-z-]+$/.test(name) && statSync(path.join(folder, name)).isFile(),
  )
  const rank = (name) => (order.includes(name) ? order.indexOf(name) : order.length)
  return names.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

/** The comment below the first line of a script, without its reference to `--help`. */
function commentOf(name) {
  const lines = readFileSync(path.join(root, 'scripts', name), 'utf8')
    .split('\n')
    .slice(1)
  const end = lines.findIndex((line) => !line.startsWith('#'))
  const text = lines
    .slice(0, end)
    .map((line) => line.replace(/^# ?/, '').replace(/: (\.\/scripts\/\S.*)$/, ': `$1`.'))
    .join(' ')
  return text.replace(/ ?See --help\.$/, '').trim()
}

function helpOf(program) {
  const built = path.join(root, program)
  if (!existsSync(built)) throw new Error(`${program} is missing; run npx turbo run build`)
  return execFileSync(process.execPath, [built, '--help'], { encoding: 'utf8' }).trimEnd()
}

/** The benches: the files of bench/src that begin with `// bench: …`. */
function benches() {
  const folder = path.join(root, 'bench', 'src')
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  return files.flatMap((name) => {
    const [, about] =
      /^\/\/ bench: (.+)$/m.exec(readFileSync(path.join(folder, name), 'utf8').split('\n')[0]) ?? []
    return about === undefined ? [] : [`- \`./scripts/bench ${name.replace('.ts', '')}\`: ${about}`]
  })
}

function sectionOf(name) {
  const program = programs[name]
  const parts = [`## ./scripts/${name}`, commentOf(name)]
  if (program !== undefined) parts.push(`\`\`\`text\n${helpOf(program)}\n\`\`\``)
  if (name === 'bench') parts.push(benches().join('\n'))
  return parts.join('\n\n')
}

const document = () => `# Commands

\`./scripts/commands\` writes this page from the scripts and their \`--help\`; \`./scripts/test\` checks it.

${scripts().map(sectionOf).join('\n\n')}
`

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

/** Writes a page, or reports that the page is not current. */
function finish(file, text) {
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (read(file) !== text) {
    process.stdout.write(`${path.relative(root, file)} is not current; run ./scripts/commands\n`)
    process.exitCode = 1
  }
}

finish(path.join(root, 'docs', 'commands.md'), document())
const architecture = path.join(root, 'docs', 'architecture.md')
finish(architecture, await withPictures(root, read(architecture)))
const settingsFile = path.join(root, 'docs', 'settings.md')
const options = JSON.parse(read(path.join(root, '.oxfmtrc.json')))
// Returns the table with aligned columns, as the formatter requires.
const { code } = await format(settingsFile, await settingsPage(root, read(settingsFile)), options)
finish(settingsFile, code)
