// `./scripts/release`: the main program. Exit codes: 0 done, 1 failed, 2 wrong command line. Only `build`
// needs installed packages, since the jobs that publish run no code of dependencies.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { readNight, refusalOfNight } from './night.mjs'
import { publishGithub, publishImages, publishNpm } from './publish.mjs'
import { manifestsOf, refusalOfTag } from './tag.mjs'

const usage = `Usage: ./scripts/release COMMAND [--dry-run]

  check-tag           fails unless the tag GITHUB_REF_NAME is vVERSION, each package has that version, and
                      the npm packages name the repository GITHUB_REPOSITORY, which provenance needs
  check-night         fails unless the newest completed run of night.yml on the default branch was
                      successful and tested exactly the commit that is checked out; reads GITHUB_REPOSITORY
                      and GITHUB_TOKEN
  build               builds every package into a new dist/packages, with the bill of materials
                      phonerack.cdx.json (CycloneDX) and SHA256SUMS
  publish-npm         publishes the TypeScript SDK and the command line, with provenance; skips a version
                      that the registry has with the same content
  publish-images      builds the images of deploy/docker and pushes them to ghcr.io; reads
                      GITHUB_REPOSITORY, GITHUB_ACTOR and GITHUB_TOKEN
  publish-github      creates the GitHub release of the tag GITHUB_REF_NAME with all files of
                      dist/packages; needs gh, and reads GITHUB_REPOSITORY and GH_TOKEN

  --dry-run           with a publish command: checks and builds everything, and publishes nothing
  --help              print this text

Each publish command first compares dist/packages with SHA256SUMS.
`

const root = path.resolve(import.meta.dirname, '..', '..', '..')

class UsageError extends Error {}

/** @throws Error that names the missing variable */
function variable(name) {
  const value = process.env[name]
  if (!value) throw new Error(`the environment variable ${name} is missing`)
  return value
}

function checkTag() {
  const tag = variable('GITHUB_REF_NAME')
  const refusal = refusalOfTag(tag, manifestsOf(root), variable('GITHUB_REPOSITORY'))
  if (refusal !== null) throw new Error(refusal)
  return `${tag}: every package has this version`
}

async function checkNight() {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const night = await readNight({
    api: process.env.GITHUB_API_URL || 'https://api.github.com',
    repository: variable('GITHUB_REPOSITORY'),
    token: variable('GITHUB_TOKEN'),
  })
  const refusal = refusalOfNight(night, commit)
  if (refusal !== null) throw new Error(refusal)
  return `night.yml tested ${commit} successfully: ${night.run.html_url}`
}

const commands = {
  'check-tag': checkTag,
  'check-night': checkNight,
  build: () => build(root),
  'publish-npm': (isDryRun) => publishNpm(root, isDryRun),
  'publish-images': (isDryRun) =>
    publishImages(root, {
      isDryRun,
      repository: variable('GITHUB_REPOSITORY'),
      actor: isDryRun ? '' : variable('GITHUB_ACTOR'),
      token: isDryRun ? '' : variable('GITHUB_TOKEN'),
      outputFile: process.env.GITHUB_OUTPUT,
    }),
  'publish-github': (isDryRun) =>
    publishGithub(root, {
      isDryRun,
      tag: variable('GITHUB_REF_NAME'),
      repository: variable('GITHUB_REPOSITORY'),
    }),
}

function readOptions() {
  try {
    const flag = { type: 'boolean', default: false }
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { 'dry-run': flag, help: flag },
    })
    const [name] = positionals
    if (values.help) return { isHelp: true }
    if (positionals.length !== 1 || !Object.hasOwn(commands, name))
      throw new Error(`give one of the commands ${Object.keys(commands).join(', ')}`)
    if (values['dry-run'] && !name.startsWith('publish-'))
      throw new Error(`${name} publishes nothing: --dry-run is for the publish commands`)
    return { isHelp: false, run: commands[name], isDryRun: values['dry-run'] }
  } catch (error) {
    throw new UsageError(error.message, { cause: error })
  }
}

try {
  const { isHelp, run, isDryRun } = readOptions()
  process.stdout.write(isHelp ? usage : `${await run(isDryRun)}\n`)
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`)
  if (error instanceof UsageError) process.stderr.write('See ./scripts/release --help\n')
  process.exitCode = error instanceof UsageError ? 2 : 1
}
