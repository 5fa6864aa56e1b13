/** Response schemas of uploads and installs, and their JSON from the services' views. */
import { errorCodes, idPattern, type IdKind } from '@phonerack/shared'
import { z } from 'zod'
import { uploadStatuses, type UploadView } from '../../../files/uploads/types.js'
import { type InstallView } from '../../../phone-io/installs/types.js'

const id = (kind: IdKind) => z.string().meta({ pattern: idPattern(kind).source })
const timestamp = z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds.' })
const oneOf = (values: readonly string[], description: string) =>
  z.string().meta({ description: `${description} More values may be added.`, 'x-extensible-enum': values })

const uploadFields = {
  object: z.literal('upload'),
  id: id('upload'),
  status: oneOf(uploadStatuses, `One of ${uploadStatuses.join(', ')}.`),
  package: z.string().nullable(),
  version_code: z.int().nullable(),
  version_name: z.string().nullable(),
  min_sdk: z
    .int()
    .nullable()
    .meta({ description: 'Lowest supported API level, if the manifest states one.' }),
  size_bytes: z.int().nullable(),
  sha256: z.string().nullable().meta({ pattern: '^[0-9a-f]{64}$' }),
  created_at: timestamp,
  expires_at: timestamp.meta({ description: 'Time at which the service deletes the upload.' }),
  error: z
    .object({ code: oneOf(errorCodes, 'An error code.'), message: z.string(), next: z.string().nullable() })
    .nullable()
    .meta({ description: 'Why the upload did not become ready.' }),
}

export const uploadSchema = z.object(uploadFields).meta({ id: 'Upload' })
export type UploadJson = z.output<typeof uploadSchema>

export const createdUploadSchema = z
  .object({
    ...uploadFields,
    upload_url: z
      .string()
      .meta({
        description: 'The URL accepts one file within an hour. It needs no API key, so keep it secret.',
      }),
    upload_method: z.literal('POST'),
    upload_headers: z.record(z.string(), z.string()),
    max_bytes: z.int(),
  })
  .meta({ id: 'CreatedUpload' })

export const uploadPageSchema = z
  .object({ data: z.array(uploadSchema), next_cursor: z.string().nullable() })
  .meta({ id: 'UploadPage' })

export const uploadJson = (upload: UploadView): UploadJson => ({
  object: 'upload',
  id: upload.id,
  status: upload.status,
  package: upload.package,
  version_code: upload.versionCode,
  version_name: upload.versionName,
  min_sdk: upload.minSdk,
  size_bytes: upload.sizeBytes,
  sha256: upload.sha256,
  created_at: upload.createdAt.toISOString(),
  expires_at: upload.expiresAt.toISOString(),
  error: upload.error,
})

export const libraryPageSchema = z
  .object({
    data: z.array(
      z.object({ package: z.string(), label: z.string(), version_code: z.int(), version_name: z.string() }),
    ),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'LibraryPage' })

const installStatuses = ['running', 'succeeded', 'failed']
const installStatus = oneOf(installStatuses, `One of ${installStatuses.join(', ')}.`)

export const startedInstallSchema = z
  .object({
    package: z.string(),
    upload: id('upload').optional(),
    install: id('install').optional(),
    status: installStatus,
  })
  .meta({ id: 'StartedInstall' })

export const installsSchema = z
  .object({
    data: z.array(
      z.object({
        package: z.string(),
        upload: id('upload').nullable(),
        install: id('install').nullable(),
        status: installStatus,
        error: oneOf(errorCodes, 'The error of a failed install.').nullable(),
        next: z.string().nullable(),
        started_at: timestamp.nullable(),
        updated_at: timestamp.nullable(),
      }),
    ),
  })
  .meta({ id: 'Installs' })
export type InstallsJson = z.output<typeof installsSchema>

/** In the API, only installs of an upload have an ID. */
export const installJson = (install: InstallView) => ({
  package: install.package,
  upload: install.upload,
  install: install.upload === null ? null : install.id,
  status: install.status,
  error: install.error,
  next: install.next,
  started_at: install.startedAt.toISOString(),
  updated_at: install.updatedAt.toISOString(),
})

/** The response to the start of an install. */
export const startedInstallJson = (install: InstallView) => ({
  package: install.package,
  ...(install.upload === null ? {} : { upload: install.upload, install: install.id }),
  status: 'running',
})
