/** Copies files into a staged package, with the same modes on every machine. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export function writeJson(file: string, value: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 })
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o644 })
}

/** @param isWanted gets paths below `from`, with `/` */
export function copyTree(from: string, into: string, isWanted: (file: string) => boolean, below = ''): void {
  for (const entry of readdirSync(path.join(from, below), { withFileTypes: true })) {
    const file = below === '' ? entry.name : `${below}/${entry.name}`
    // Modules inside modules are listed separately.
    if (entry.isDirectory() && entry.name !== 'node_modules') copyTree(from, into, isWanted, file)
    else if (entry.isFile() && isWanted(file)) copyFile(path.join(from, file), path.join(into, file))
  }
}

export function copyFile(from: string, into: string): void {
  mkdirSync(path.dirname(into), { recursive: true, mode: 0o755 })
  copyFileSync(from, into)
  chmodSync(into, 0o644)
}
