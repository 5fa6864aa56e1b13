/** PEM encoding of keys, and atomic file creation. */
import { randomBytes } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import path from 'node:path'

export const toPem = (label: string, der: ArrayBuffer | Uint8Array): string =>
  `-----BEGIN ${label}-----\n${(
    Buffer.from(der instanceof Uint8Array ? der : new Uint8Array(der))
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')}\n-----END ${label}-----\n`

/** The bytes of the first block `label`. @throws Error when there is none */
export function fromPem(label: string, text: string): Buffer {
  const match = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`).exec(text)
  if (!match?.[1]) throw new Error(`no ${label} in the PEM text`)
  return Buffer.from(match[1], 'base64')
}

/** The file's text, or null when there is no such file. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/**
 * Creates a file, mode 0600, unless it exists. When several processes do so concurrently, one wins
 * and all return its text. It is on the disk when this returns, since a secret encrypted with a lost key is lost too.
 */
export async function createOnce(file: string, text: string): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(draft, file)
    await syncFolder(path.dirname(file))
    return text
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      return await readFile(file, 'utf8')
    throw error
  } finally {
    await unlink(draft)
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
