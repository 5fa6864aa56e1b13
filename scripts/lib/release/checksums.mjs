// Writes and reads SHA256SUMS of a folder, in the format of sha256sum.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const name = 'SHA256SUMS'

/** The names of the files, sorted, without SHA256SUMS. */
export const filesIn = (folder) =>
  readdirSync(folder)
    .filter((file) => file !== name)
    .sort()

const sumsOf = (folder) =>
  filesIn(folder)
    .map((file) => `${hashOf(path.join(folder, file))}  ${file}\n`)
    .join('')

export const hashOf = (file, algorithm = 'sha256', encoding = 'hex') =>
  createHash(algorithm).update(readFileSync(file)).digest(encoding)

export const writeSums = (folder) => writeFileSync(path.join(folder, name), sumsOf(folder))

/** @throws Error unless the folder has exactly the files that SHA256SUMS lists */
export function verifySums(folder) {
  const file = path.join(folder, name)
  if (!existsSync(file)) throw new Error(`${file} is missing: run ./scripts/release build`)
  if (readFileSync(file, 'utf8') !== sumsOf(folder))
    throw new Error(
      `the files of ${folder} are not the files that ${name} lists: run ./scripts/release build`,
    )
}
