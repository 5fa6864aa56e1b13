/** PEM encoding of keys. */
import { readFile } from 'node:fs/promises'

export const toPem = (label: string, der: ArrayBuffer | Uint8Array): string =>
  `-----BEGIN ${label}-----\n${(
    Buffer.from(der instanceof Uint8Array ? der : new Uint8Array(der))
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')}\n-----END ${label}-----\n`

/** Returns the bytes of the first block `label`. @throws Error if there is none */
export function fromPem(label: string, text: string): Buffer {
  const match = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`).exec(text)
  if (!match?.[1]) throw new Error(`no ${label} in the PEM text`)
  return Buffer.from(match[1], 'base64')
}

/** Returns the file's text, or null if the file does not exist. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
