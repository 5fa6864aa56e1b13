// The files that the prose check reads.
import { execFileSync } from 'node:child_process'
import { lstatSync, statSync } from 'node:fs'
import path from 'node:path'

/** The rules and their test quote bad sentences; the conformance table quotes the specification. */
const exempt = [
  /^scripts\/lib\/prose\/(rules|fragments)\.mjs$/,
  /^shared\/src\/prose\.test\.ts$/,
  /^docs\/conformance\.md$/,
  /(^|\/)(gen|generated)\//,
]

const isProse = (file) =>
  (/\.(ts|mts|mjs|js|sh|proto|prisma|ya?ml|md|html|css)$/.test(file) ||
    /^(scripts|\.ci)\/[a-z-]+$/.test(file)) &&
  !exempt.some((pattern) => pattern.test(file))

/**
 * Those that git has, and new ones that it does not ignore.
 * @returns {string[]} paths relative to `root` of the files at and below `from`, sorted
 */
export function proseFiles(root, from = root) {
  if (!statSync(from).isDirectory()) return [path.relative(root, from)]
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', from], {
    cwd: root,
    maxBuffer: 64 << 20,
  })
  return listed
    .toString()
    .split('\0')
    .filter((file) => file !== '' && isProse(file) && isFile(path.join(root, file)))
    .sort()
}

/** False for a link, and for a file that git still lists and that is deleted. */
const isFile = (file) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
