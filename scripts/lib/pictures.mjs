// Draws the pictures of docs/architecture.md for commands.mjs: the doors, from the lists of
// .dependency-cruiser.cjs and the imports of the sources, and the states of a phone, from the table of its
// state machine. Needs a build.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const notOfDoors = /\.test\.ts$|(^|\/)(gen|testing|conformance|page)\//

/** The doors of both programs, from the lowest to the highest, by the names of the rules. */
function doorsOf(root) {
  const { forbidden } = createRequire(import.meta.url)(path.join(root, '.dependency-cruiser.cjs'))
  const doors = {}
  for (const { name } of forbidden) {
    const [, source, door] = /^(\S+)\/(\S+) imports lower doors only$/.exec(name) ?? []
    if (source !== undefined) (doors[source] ??= []).push(door)
  }
  return doors
}

/** The doors that each door imports. */
function importsOf(root, source, doors) {
  const imports = new Map(doors.map((door) => [door, new Set()]))
  const files = readdirSync(path.join(root, source), { recursive: true })
  for (const file of files.filter((name) => name.endsWith('.ts') && !notOfDoors.test(name))) {
    const text = readFileSync(path.join(root, source, file), 'utf8')
    for (const [, imported] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const [from, to] = [file, path.join(path.dirname(file), imported)].map((name) => name.split('/')[0])
      if (from !== to && imports.has(to)) imports.get(from)?.add(to)
    }
  }
  return imports
}

/** Removes imports that follow from other imports: `app → api → base` makes `app → base` redundant. */
function reduced(imports) {
  const reaches = (from, to) => [...imports.get(from)].some((next) => next === to || reaches(next, to))
  return [...imports].flatMap(([from, all]) =>
    [...all]
      .filter((to) => ![...all].some((other) => other !== to && reaches(other, to)))
      .map((to) => [from, to]),
  )
}

function drawDoors(root) {
  const idOf = (program, door) => `${program}_${door}`.replaceAll('-', '_')
  const programs = Object.entries(doorsOf(root)).flatMap(([source, doors]) => {
    const [program] = source.split('/')
    const id = (door) => idOf(program, door)
    return [
      `  subgraph ${program}`,
      ...doors.toReversed().map((door) => `    ${id(door)}[${door}]`),
      ...reduced(importsOf(root, source, doors)).map(([from, to]) => `    ${id(from)} --> ${id(to)}`),
      '  end',
    ]
  })
  return [
    'flowchart TD',
    ...programs,
    `  ${idOf('control-plane', 'links')} -. gRPC .-> ${idOf('host-agent', 'service')}`,
  ]
}

async function drawLife(root) {
  const load = (file) => import(pathToFileURL(path.join(root, 'control-plane/dist', file)).href)
  const { moveFor, phoneEvents } = await load('rental/phones/machine.js')
  const { phoneStatuses } = await load('base/core/statuses.js')
  const arrows = {}
  for (const from of phoneStatuses)
    for (const event of phoneEvents) {
      const move = moveFor(from, event)
      if (move !== null) (arrows[`${from} --> ${move.to}`] ??= []).push(event)
    }
  return [
    'stateDiagram-v2',
    '  [*] --> creating',
    ...Object.entries(arrows).map(([arrow, events]) => `  ${arrow}: ${events.join(', ')}`),
    '  deleted --> [*]',
  ]
}

/**
 * Returns the page with current pictures after the comments `<!-- picture: doors -->` and `<!-- picture: life
 * -->`.
 */
export async function withPictures(root, page) {
  const pictures = { doors: drawDoors(root), life: await drawLife(root) }
  return page.replaceAll(
    /(<!-- picture: (\w+) -->\n\n)```mermaid\n[\s\S]*?```/g,
    (_, comment, name) => `${comment}\`\`\`mermaid\n${pictures[name].join('\n')}\n\`\`\``,
  )
}
