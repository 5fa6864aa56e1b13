// Publishes dist/packages: to npm, as images, and as a GitHub release. A repeated call continues where an
// earlier call failed.
import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { packagesFolder } from './build.mjs'
import { filesIn, hashOf, verifySums } from './checksums.mjs'
import { npmPackages, readManifest } from './tag.mjs'

/** Milliseconds. */
const limits = { requestMs: 60_000, uploadMs: 600_000, imageMs: 1_200_000 }

const runIn = (cwd, timeout) => (command, args, options) =>
  execFileSync(command, args, { cwd, timeout, stdio: ['ignore', 'inherit', 'inherit'], ...options })

export function publishNpm(root, isDryRun) {
  const folder = packagesFolder(root)
  verifySums(folder)
  const run = runIn(root, limits.uploadMs)
  const done = npmPackages.map(({ folder: workspace, file }) => {
    const { name, version } = readManifest(root, workspace)
    const tarball = path.join(folder, `${file}-${version}.tgz`)
    const published = publishedHash(`${name}@${version}`)
    if (published === `sha512-${hashOf(tarball, 'sha512', 'base64')}`)
      return `${name}@${version} is published already`
    if (published !== '') throw new Error(`npm has another ${name}@${version}: release a new version`)
    const flags = isDryRun ? ['--dry-run'] : ['--provenance']
    run('npm', ['publish', tarball, '--access', 'public', '--ignore-scripts', ...flags])
    return `${name}@${version} ${isDryRun ? 'would be' : 'is'} published`
  })
  return done.join('\n')
}

/**
 * The registry's hash, or '' for a version that the registry does not have.
 * @throws Error when the registry does not answer
 */
function publishedHash(version) {
  try {
    const args = ['view', version, 'dist.integrity', '--json']
    const said = execFileSync('npm', args, { encoding: 'utf8', timeout: limits.requestMs, stdio: 'pipe' })
    return said.trim() === '' ? '' : JSON.parse(said)
  } catch (error) {
    if (`${error.stdout}`.includes('E404')) return ''
    throw new Error(`npm view ${version} failed: ${error.stderr || error.message}`, { cause: error })
  }
}

/** Writes the name and the digest of each pushed image to `outputFile`, for its attestation. */
export function publishImages(root, { isDryRun, repository, actor, token, outputFile }) {
  const folder = packagesFolder(root)
  verifySums(folder)
  const run = runIn(root, limits.imageMs)
  const { version } = readManifest(root, '.')
  // Image names are in lower case, unlike names of owners.
  const owner = repository.split('/')[0].toLowerCase()
  if (!isDryRun)
    run('docker', ['login', 'ghcr.io', '--username', actor, '--password-stdin'], {
      input: token,
      stdio: ['pipe', 'inherit', 'inherit'],
    })
  const images = ['agent', 'control-plane'].map((program) => {
    const name = `ghcr.io/${owner}/phonerack-${program}`
    const label = `org.opencontainers.image.source=https://github.com/${repository}`
    const file = path.join('deploy', 'docker', `${program}.Dockerfile`)
    const tag = `${name}:${version}`
    run('docker', ['build', '--pull', '--file', file, '--tag', tag, '--label', label, folder])
    if (isDryRun) return `${tag} would be pushed`
    run('docker', ['push', tag])
    const digest = digestOf(tag, name)
    if (outputFile) appendFileSync(outputFile, `${program}-name=${name}\n${program}-digest=${digest}\n`)
    return `${tag} is pushed: ${digest}`
  })
  return images.join('\n')
}

function digestOf(tag, name) {
  const args = ['image', 'inspect', '--format', '{{json .RepoDigests}}', tag]
  const digests = JSON.parse(execFileSync('docker', args, { encoding: 'utf8', timeout: limits.requestMs }))
  const found = digests.find((each) => each.startsWith(`${name}@sha256:`))
  if (found === undefined) throw new Error(`docker did not return the digest of ${tag}`)
  return found.slice(name.length + 1)
}

export function publishGithub(root, { isDryRun, tag, repository }) {
  const folder = packagesFolder(root)
  verifySums(folder)
  const names = [...filesIn(folder), 'SHA256SUMS']
  if (isDryRun) return `the release ${tag} of ${repository} would have ${names.join(', ')}`
  const run = runIn(root, limits.uploadMs)
  const files = names.map((name) => path.join(folder, name))
  const notes =
    `Changes: [CHANGELOG.md](https://github.com/${repository}/blob/${tag}/CHANGELOG.md). Check a download with ` +
    `\`sha256sum --check --ignore-missing SHA256SUMS\` and \`gh attestation verify FILE --repo ${repository}\`.`
  if (exists(tag, repository))
    run('gh', ['release', 'upload', tag, ...files, '--clobber', '--repo', repository])
  else
    run('gh', [
      ...['release', 'create', tag, ...files, '--verify-tag'],
      ...['--title', tag, '--notes', notes, '--repo', repository],
    ])
  return `the release ${tag} has ${names.length} files`
}

/** @throws Error when it is unknown whether the release exists on GitHub */
function exists(tag, repository) {
  try {
    execFileSync('gh', ['release', 'view', tag, '--repo', repository], {
      timeout: limits.requestMs,
      stdio: 'pipe',
    })
    return true
  } catch (error) {
    if (`${error.stderr}`.includes('release not found')) return false
    throw new Error(`gh release view ${tag} failed: ${error.stderr || error.message}`, { cause: error })
  }
}
