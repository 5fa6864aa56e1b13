// Compares the tag of a release with the versions in the manifests.
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The packages on npm: the folder of the workspace, and the first part of the tarball's name in dist/packages. */
export const npmPackages = [
  { folder: 'clients/typescript', file: 'phonerack-sdk' },
  { folder: 'clients/cli', file: 'phonerack' },
]

const programs = ['.', 'control-plane', 'host-agent', 'clients/ctl']

/**
 * `repository` is the address in the manifest of an npm package; undefined: the package is not published
 * there.
 */
export function manifestsOf(root) {
  const npm = npmPackages.map(({ folder }) => folder)
  const manifests = [...programs, ...npm].map((folder) => {
    const { version, repository } = readManifest(root, folder)
    const file = path.join(folder, 'package.json')
    return npm.includes(folder) ? { file, version, repository: repository?.url ?? '' } : { file, version }
  })
  const file = 'clients/python/pyproject.toml'
  const [, version] = /^version = "(.+)"$/m.exec(readFileSync(path.join(root, file), 'utf8')) ?? []
  return [...manifests, { file, version }]
}

export const readManifest = (root, folder) =>
  JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))

/** @returns null, or every reason why the release is refused @param repository OWNER/NAME */
export function refusalOfTag(tag, manifests, repository) {
  const [, version] = /^v(\d+\.\d+\.\d+)$/.exec(tag) ?? []
  if (version === undefined) return `the tag must be like v1.2.3, not ${tag}`
  const address = `git+https://github.com/${repository}.git`
  const faults = manifests.flatMap((manifest) => [
    ...(manifest.version === version ? [] : [`${manifest.file} has version ${manifest.version}`]),
    ...('repository' in manifest && manifest.repository !== address
      ? [`${manifest.file} must have "repository": { "type": "git", "url": "${address}" }`]
      : []),
  ])
  return faults.length === 0 ? null : `${tag} cannot be released: ${faults.join('; ')}`
}
