/** Tools for shared storage. A call carries little data, so large files are read in parts. */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { validationFailed } from '../../../base/validation/validation-error.js'
import { answer } from '../answers.js'
import { path } from '../api.js'
import { maxBytes, partAnswer, partOutput } from '../lists.js'
import { described, integer, offset, orNull, phoneId, string } from '../schemas.js'
import { quoted } from '../text.js'
import { defineTool, destroys, reads } from '../tool.js'

/** Bytes of one read. */
const part = { default: 20_000, max: 60_000 }
const filePath = z.string().describe('/sdcard/…')

interface Part {
  encoding: 'utf-8' | 'base64'
  content: string
  bytes: number
}

/** Returns text if the part is text. A character that the end of the part cuts belongs to the next part. */
function readPart(whole: Buffer, offset: number, most: number): Part {
  const bytes = whole.subarray(offset, offset + most)
  for (let cut = 0; cut < 4 && cut <= bytes.length; cut += 1) {
    // Only the end of the part may cut a character.
    if (cut > 0 && offset + bytes.length === whole.length) break
    const kept = bytes.subarray(0, bytes.length - cut)
    const text = textOf(kept)
    if (text !== null) return { encoding: 'utf-8', content: text, bytes: kept.length }
  }
  return { encoding: 'base64', content: bytes.toString('base64'), bytes: bytes.length }
}

/** A smaller part when the JSON of the content does not fit into an answer. */
function fittingPart(whole: Buffer, offset: number, most: number): Part {
  const read = readPart(whole, offset, most)
  const bytes = Buffer.byteLength(quoted(read.content))
  return bytes <= maxBytes
    ? read
    : fittingPart(whole, offset, Math.floor((read.bytes * maxBytes) / bytes) - 4)
}

function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

export const fileTools = [
  defineTool({
    name: 'list_files',
    title: 'List a directory',
    description: 'List a directory in shared storage of a ready phone.',
    input: z.strictObject({ phone_id: phoneId, path: filePath.optional().describe('/sdcard'), offset }),
    output: { path: string, ...partOutput },
    annotations: reads,
    async run({ phone_id: id, offset = 0, ...query }, api) {
      const found = await api.json<{ path: string; data: object[] }>({
        method: 'GET',
        path: path`/v1/phones/${id}/files`,
        query,
      })
      return partAnswer(found.data, offset, `entries in ${quoted(found.path)}`, { path: found.path })
    },
  }),
  defineTool({
    name: 'read_file',
    title: 'Read a file',
    description:
      'Read a file up to 4 MB in parts: text, or Base64 for other content. Continue with offset = next_offset until next_offset is null.',
    input: z.strictObject({
      phone_id: phoneId,
      path: filePath,
      offset: z.int().min(0).max(limits.fileBytes).optional().describe('Bytes; 0'),
      max_bytes: z.int().min(4).max(part.max).optional().describe(`${part.default}`),
    }),
    output: {
      path: string,
      size: described(integer, 'Bytes of the whole file'),
      offset: integer,
      encoding: string,
      content: string,
      next_offset: orNull(integer),
    },
    annotations: reads,
    async run({ phone_id: id, path: file, offset = 0, max_bytes = part.default }, api) {
      const { bytes: whole } = await api.bytes({
        method: 'GET',
        path: path`/v1/phones/${id}/files/content`,
        query: { path: file },
      })
      const { bytes, ...read } = fittingPart(whole, offset, max_bytes)
      const end = offset + bytes
      const found = { path: file, size: whole.length, offset, ...read }
      return answer({ ...found, next_offset: end < whole.length ? end : null })
    },
  }),
  defineTool({
    name: 'write_file',
    title: 'Write a file',
    description:
      'Write a small file to shared storage; replaces an existing file, creates directories. For a file over 100 KB send the raw bytes to PUT /v1/phones/{id}/files?path=… instead.',
    input: z.strictObject({
      phone_id: phoneId,
      path: filePath,
      text: z.string().optional(),
      base64: z.string().optional().describe('Instead of text'),
    }),
    output: { path: string, size: integer },
    annotations: destroys,
    async run({ phone_id: id, path: file, text, base64 }, api) {
      const bytes = contentOf(text, base64)
      const written = await api.json<object>({
        method: 'PUT',
        path: path`/v1/phones/${id}/files`,
        query: { path: file },
        bytes,
      })
      return answer(written, 'written')
    },
  }),
]

/** @throws ApiError validation_failed */
function contentOf(text: string | undefined, base64: string | undefined): Buffer {
  if ((text === undefined) === (base64 === undefined))
    throw validationFailed('body', [{ path: [], message: 'must have exactly one of `text` and `base64`' }])
  if (base64 === undefined) return Buffer.from(text ?? '', 'utf8')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw validationFailed('body', [{ path: ['base64'], message: 'must be Base64 with padding' }])
  return Buffer.from(base64, 'base64')
}
