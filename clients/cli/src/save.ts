/** Files that a command reads and writes on this machine. */
import { open, stat, writeFile, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { UsageError } from './usage-error.js'

/** Call it before work whose result would otherwise be lost. @throws UsageError if the file exists */
export async function requireFree(file: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found !== null) throw existsError(file)
}

const existsError = (file: string): UsageError =>
  new UsageError(`${file} exists.`, 'Name another file with -o, or add --force.')

/** @throws UsageError if the file exists and `mayOverwrite` is false */
export async function saveFile(file: string, content: Uint8Array, mayOverwrite: boolean): Promise<void> {
  try {
    await writeFile(file, content, { flag: mayOverwrite ? 'w' : 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existsError(file)
    throw error
  }
}

/** Saves without overwriting: `shot.png` becomes `shot-2.png` if it exists. @returns the file that was written */
export async function saveNew(file: string, content: Uint8Array): Promise<string> {
  const { dir, name, ext } = path.parse(file)
  for (let number = 1; ; number += 1) {
    const each = number === 1 ? file : path.join(dir, `${name}-${number}${ext}`)
    try {
      await writeFile(each, content, { flag: 'wx' })
      return each
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (number === 100) throw existsError(each)
    }
  }
}

/** @throws UsageError if it is not a file */
export async function requireFile(file: string): Promise<string> {
  const found = await stat(file).catch(() => null)
  if (found?.isFile() === true) return file
  throw new UsageError(found === null ? `There is no file ${file}.` : `${file} is not a file.`)
}

/** Opens a file or a pipe for reading. @throws UsageError if it cannot be read */
export async function openFile(file: string): Promise<FileHandle> {
  const handle = await open(file).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${code ?? String(error)}.`,
    )
  })
  if (!(await handle.stat()).isDirectory()) return handle
  await handle.close()
  throw new UsageError(`${file} is not a file.`)
}

/** The time in UTC, such as `20261124-141736`. */
export const timeName = (now: number): string =>
  new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')

/** The name of a phone's file on this machine, without folders and without names that the system reserves. */
export function localName(phonePath: string): string {
  const last =
    phonePath
      .split(/[/\\]/)
      .filter((part) => part !== '')
      .at(-1) ?? ''
  const name = last.replace(/[\p{Cc}<>:"|?*]/gu, '_')
  return name === '' || name === '.' || name === '..' ? 'file' : name
}
