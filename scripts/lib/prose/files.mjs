// The files that the prose check reads.
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'

const skipped = new Set([
  'node_modules',
  'dist',
  'gen',
  'generated',
  '.git',
  '.turbo',
  '.phonerack',
  'coverage',
])

/** The rules and their test quote bad sentences; the conformance table quotes the specification. */
const exempt = [
  /^scripts\/lib\/prose\/(rules|fragments)\.mjs$/,
  /^shared\/src\/prose\.test\.ts$/,
  /^docs\/conformance(\.md|\/)/,
  // Vite writes and deletes these while it loads a configuration.
  /\.timestamp-[^/]*\.mjs$/,
]

const isProse = (file) =>
  (/\.(ts|mts|mjs|js|sh|proto|prisma|ya?ml|md|html|css)$/.test(file) ||
    /^(scripts|\.ci)\/[a-z-]+$/.test(file)) &&
  !exempt.some((pattern) => pattern.test(file))

/** @returns {string[]} paths relative to `root` of the files at and below `from`, sorted */
export function proseFiles(root, from = root) {
  if (!statSync(from).isDirectory()) return [path.relative(root, from)]
  const found = []
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (skipped.has(entry.name)) continue
      const full = path.join(folder, entry.name)
      if (entry.isDirectory()) walk(full)
      else if (entry.isFile() && isProse(path.relative(root, full))) found.push(path.relative(root, full))
    }
  }
  walk(from)
  return found.sort()
}
