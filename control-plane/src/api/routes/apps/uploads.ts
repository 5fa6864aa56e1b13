/** /v1/apps/uploads: create, complete, get (or wait), list, delete. The file itself goes to the upload URL. */
import { ApiError, isId, limits } from '@phonerack/shared'
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { type Route } from '../deps.js'
import { describeErrors } from '../errors.js'
import { noBody, pageFields, postHeaders, waitQuery } from '../fields.js'
import { createdUploadSchema, uploadJson, uploadPageSchema, uploadSchema } from './schemas.js'

const { pollTimeout } = limits

const uploadParams = z.object({
  id: z.string().meta({ description: 'An upload ID.', pattern: '^upl_[a-z2-7]{12}$' }),
})

/** The upload ID in a path. A malformed ID is an upload that does not exist. */
function uploadIdOf(params: { id: string }): string {
  if (!isId('upload', params.id))
    throw new ApiError('upload_not_found', { next: 'GET /v1/apps/uploads', details: { upload: params.id } })
  return params.id
}

export const createUpload: Route = (app, { services }) => {
  app.post(
    '/apps/uploads',
    {
      schema: {
        operationId: 'createUpload',
        summary: 'Create an upload',
        description: `Send the APK to \`upload_url\` with \`upload_method\` and \`upload_headers\`, within 2 minutes. The response is \`{storageId}\`. Then call \`POST /v1/apps/uploads/{id}/complete\`.`,
        tags: ['apps'],
        headers: postHeaders,
        body: noBody,
        response: {
          201: createdUploadSchema,
          ...describeErrors(
            'payload_too_large',
            'insufficient_credits',
            'project_frozen',
            'storage_limit_reached',
            'storage_full',
          ),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { upload, uploadUrl, maxBytes } = await services.uploads.create(callerOf(request))
      return reply
        .code(201)
        .header('location', `/v1/apps/uploads/${upload.id}`)
        .send({
          ...uploadJson(upload),
          upload_url: uploadUrl,
          upload_method: 'POST' as const,
          upload_headers: { 'Content-Type': 'application/vnd.android.package-archive' },
          max_bytes: maxBytes,
        })
    },
  )
}

const storageId = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'The `storageId` that the upload URL returned.' })

const completeUploadBody = z.union([
  z.strictObject({ storage_id: storageId }),
  z
    .strictObject({ storageId })
    .meta({ description: "The same as `storage_id`: the field of the upload URL's response, unchanged." }),
])

export const completeUpload: Route = (app, { services }) => {
  app.post(
    '/apps/uploads/:id/complete',
    {
      schema: {
        operationId: 'completeUpload',
        summary: 'Complete an upload with its file',
        tags: ['apps'],
        params: uploadParams,
        headers: postHeaders,
        body: completeUploadBody,
        response: {
          200: uploadSchema.meta({
            description:
              'The upload, or the upload of the project that already has the same file and is ready.',
          }),
          202: uploadSchema,
          ...describeErrors('payload_too_large', 'upload_not_found', 'storage_limit_reached', 'storage_full'),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { body } = request
      const named = 'storage_id' in body ? body.storage_id : body.storageId
      const upload = await services.uploads.complete(callerOf(request), uploadIdOf(request.params), named)
      return reply.code(upload.status === 'processing' ? 202 : 200).send(uploadJson(upload))
    },
  )
}

const getUploadQuery = waitQuery(['ready'], 'Wait while the upload is processing.')

export const getUpload: Route = (app, { services, lifetimes, waits }) => {
  app.get(
    '/apps/uploads/:id',
    {
      schema: {
        operationId: 'getUpload',
        summary: 'Get an upload, or wait until it has been processed',
        tags: ['apps'],
        params: uploadParams,
        querystring: getUploadQuery,
        response: { 200: uploadSchema, ...describeErrors('upload_not_found') },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const id = uploadIdOf(request.params)
      const { wait, timeout = pollTimeout.default } = request.query
      if (wait !== undefined) waits.hold(callerOf(request), reply)
      const upload =
        wait === undefined
          ? await services.uploads.get(caller, id)
          : await services.uploads.wait(caller, id, timeout * 1000, lifetimes.wait(reply))
      return uploadJson(upload)
    },
  )
}

export const listUploads: Route = (app, { services }) => {
  app.get(
    '/apps/uploads',
    {
      schema: {
        operationId: 'listUploads',
        summary: 'List uploads, newest first',
        tags: ['apps'],
        querystring: z.object(pageFields),
        response: { 200: uploadPageSchema, ...describeErrors() },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => {
      const { limit, cursor } = request.query
      const page = await services.uploads.list(callerOf(request), { limit, cursor: cursor ?? null })
      return { data: page.data.map(uploadJson), next_cursor: page.nextCursor }
    },
  )
}

export const deleteUpload: Route = (app, { services }) => {
  app.delete(
    '/apps/uploads/:id',
    {
      schema: {
        operationId: 'deleteUpload',
        summary: 'Delete an upload and its file',
        description: 'Apps that were installed from the upload remain on their phones.',
        tags: ['apps'],
        params: uploadParams,
        body: noBody,
        response: { 200: uploadSchema, ...describeErrors('payload_too_large', 'upload_not_found') },
      },
      config: { scope: 'phones:control' },
    },
    async (request) =>
      uploadJson(await services.uploads.delete(callerOf(request), uploadIdOf(request.params))),
  )
}
