// Writes docs/settings.md, the settings of the programs, from the schemas that read them. Used by
// commands.mjs; needs a build.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** @param root the checkout @param page the present page, which lists the settings of earlier releases; empty: none */
export async function settingsPage(root, page) {
  const load = (file) => import(pathToFileURL(path.join(root, file)).href)
  const { settings } = await load('control-plane/dist/base/config/environment.js')
  const { environment } = await load('host-agent/dist/service/config.js')
  const { keyOf } = await load('host-agent/dist/base/cli/config-file.js')
  const { settingsOf } = await load('shared/dist/settings/index.js')
  const describe = (shape) => settingsOf(shape).map((setting) => checked(root, page, setting))
  const sections = Object.entries(settings).map(
    ([title, shape]) => `### ${title}\n\n${table(describe(shape), (name) => `\`${name}\``)}`,
  )
  const agent = table(describe(environment.shape), (name) => `\`${keyOf(name)}\`<br>\`${name}\``)
  return `# Settings

\`./scripts/commands\` writes this page from the schemas that read the settings; \`./scripts/test\` checks it.

Each setting is a variable of the environment. With the packages, the settings of the control plane are lines \`NAME=value\` of \`/etc/phonerack/control-plane.env\`, and the settings of the host agent are keys of \`/etc/phonerack/agent.yaml\`. The environment takes precedence over that file. A program with an invalid value does not start, and names the setting. \`./scripts/up\` passes its environment on, sets addresses and folders itself, and gives each program only its own variables.

Both programs also read \`LOG_LEVEL\` (\`fatal\`, \`error\`, \`warn\`, \`info\`, \`debug\`, \`trace\` or \`silent\`; default \`info\`) and the [variables of OpenTelemetry](operations.md#traces). \`ctl\` has only the address and the token of the operator API: see [Packages](operations.md#packages).

## Control plane

${sections.join('\n\n')}

## Host agent

${agent}
`
}

/** After the first release, a new setting must name the release that adds it. */
function checked(root, page, setting) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const isReleased = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version}`)
  if (isReleased && setting.since === '0.1.0' && !page.includes(`\`${setting.name}\``))
    throw new Error(`${setting.name} is new: give it \`since\`, the next version`)
  return setting
}

function table(settings, nameOf) {
  const rows = settings.map(({ name, about, unit, values, since, ...setting }) => [
    nameOf(name),
    defaultOf(setting.default, setting.fallback),
    unit ?? (values.length === 0 ? '' : values.map((value) => `\`${value}\``).join(', ')),
    since,
    about,
  ])
  const lines = [
    ['Setting', 'Default', 'Unit or values', 'From release', 'Meaning'],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ]
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}

function defaultOf(text, fallback) {
  if (text === null) return '**required**'
  return fallback ?? (text === '' ? 'none' : `\`${text}\``)
}
