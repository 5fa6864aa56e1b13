/** GET, PUT and DELETE /v1/phones/{id}/files, and GET …/files/content */
import { limits } from '@phonerack/shared'
import { create as contentDisposition } from 'content-disposition'
import { z } from 'zod'
import { sendBytes, type Route } from '../deps.js'
import { changePhone, describeErrors, intoPhone } from '../errors.js'
import { noBody, phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'

const root = '/sdcard'
const otherRoot = '/storage/emulated/0'

/** Normalises `/sdcard` or a path inside it; null for any other path. */
export function storagePath(given: string): string | null {
  if (Array.from(given).length > limits.pathLength) return null
  const path =
    given === otherRoot || given.startsWith(`${otherRoot}/`) ? root + given.slice(otherRoot.length) : given
  if (path !== root && !path.startsWith(`${root}/`)) return null
  const segments = path.split('/').slice(2)
  // Accept a trailing slash on a directory.
  if (segments.at(-1) === '') segments.pop()
  if (segments.some((part) => part === '' || part === '.' || part === '..')) return null
  return [root, ...segments].join('/')
}

const pathField = z
  .string()
  .transform((given, context) => {
    const path = storagePath(given)
    if (path !== null) return path
    context.addIssue({
      code: 'custom',
      message: `must be \`${root}\` or a path inside it, with at most ${limits.pathLength} characters and no "." or ".." segments`,
    })
    return z.NEVER
  })
  .meta({ description: `The path ${root} or a path inside it.` })

/** The full path of a file, ending with its name. */
const filePathField = z
  .string()
  .refine((given) => !given.endsWith('/'), { message: 'must end with a file name' })
  .pipe(pathField)
  .refine((path) => path !== root, { message: 'must be the path of a file, not of the storage itself' })
  .meta({ description: `A file's path inside ${root}.` })

const bytesSchema = z.string().meta({ format: 'binary' })
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const listFiles: Route = (app, deps) => {
  app.get(
    '/phones/:id/files',
    {
      schema: {
        operationId: 'listFiles',
        summary: 'List a directory in shared storage',
        tags: ['files'],
        params: phoneParams,
        querystring: z.object({ path: pathField.default(root) }),
        response: {
          200: z.object({
            path: z.string(),
            data: z.array(
              z.object({
                name: z.string(),
                type: z.enum(['file', 'directory', 'other']),
                size: z.int().meta({ description: 'Bytes.' }),
                modified_at: z.iso.datetime().nullable(),
              }),
            ),
          }),
          ...describeErrors('file_not_found', 'payload_too_large', ...intoPhone),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const { path } = request.query
      const entries = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.files.list(caller, id, path, context),
      )
      const data = entries.map(({ name, type, size, modifiedAt }) => ({
        name,
        type,
        size,
        modified_at: modifiedAt?.toISOString() ?? null,
      }))
      return { path, data }
    },
  )
}

export const writeFile: Route = (app, deps) => {
  app.put(
    '/phones/:id/files',
    {
      bodyLimit: limits.fileBytes,
      schema: {
        operationId: 'writeFile',
        summary: 'Upload a file to shared storage',
        description: `The body is the raw file of up to ${limits.fileBytes} bytes. Missing directories in the path are created.`,
        tags: ['files'],
        params: phoneParams,
        querystring: z.object({ path: filePathField }),
        response: {
          201: z.object({ path: z.string(), size: z.int().meta({ description: 'Bytes.' }) }),
          ...describeErrors('payload_too_large', 'handoff_required', ...changePhone),
        },
      },
      config: { scope: 'phones:control', rawBody: true },
    },
    async (request, reply) => {
      const { path } = request.query
      const content = Buffer.isBuffer(request.readBody) ? request.readBody : Buffer.alloc(0)
      const size = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.files.write(caller, id, path, content, context),
      )
      return reply.status(201).send({ path, size })
    },
  )
}

export const readFile: Route = (app, deps) => {
  app.get(
    '/phones/:id/files/content',
    {
      schema: {
        operationId: 'readFile',
        summary: 'Download a file from shared storage',
        tags: ['files'],
        params: phoneParams,
        querystring: z.object({ path: pathField }),
        response: {
          200: {
            description: 'The file; its name is in `Content-Disposition`.',
            content: { 'application/octet-stream': { schema: bytesSchema } },
          },
          ...describeErrors('file_not_found', 'payload_too_large', ...intoPhone),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const { path } = request.query
      const content = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.files.read(caller, id, path, context),
      )
      reply.header('content-disposition', contentDisposition(nameOf(path)))
      return sendBytes(reply, 'application/octet-stream', content)
    },
  )
}

export const deleteFile: Route = (app, deps) => {
  app.delete(
    '/phones/:id/files',
    {
      schema: {
        operationId: 'deleteFile',
        summary: 'Delete a file from shared storage',
        tags: ['files'],
        params: phoneParams,
        querystring: z.object({ path: pathField }),
        body: noBody,
        response: {
          200: z.object({ path: z.string(), deleted: z.literal(true) }),
          ...describeErrors('payload_too_large', 'file_not_found', 'handoff_required', ...changePhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { path } = request.query
      await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.files.delete(caller, id, path, context),
      )
      return { path, deleted: true as const }
    },
  )
}
