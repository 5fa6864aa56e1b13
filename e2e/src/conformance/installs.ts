/** Apps of a tenant through `/v1`: uploads, and installs on a phone until their end. */
import { makeApk, type ApkSettings, type Signer } from '@phonerack/virtual-phone/apk-builder'
import { expect } from 'vitest'
import { z } from 'zod'
import { type Answer, type Api } from '../system/api.js'
import { eventually } from '../system/tenant.js'

export const shop = 'org.example.shop'

const uploadSchema = z.object({ id: z.string(), status: z.string(), error: z.unknown() })
export const createdSchema = uploadSchema.extend({
  upload_url: z.url(),
  upload_method: z.string(),
  upload_headers: z.record(z.string(), z.string()),
})
export const startedSchema = z.strictObject({
  package: z.string(),
  upload: z.string(),
  install: z.string().regex(/^ins_[a-z2-7]{12}$/),
  status: z.literal('running'),
})
const installsSchema = z.strictObject({
  data: z.array(
    z.strictObject({
      package: z.string(),
      upload: z.string().nullable(),
      install: z.string().nullable(),
      status: z.enum(['running', 'succeeded', 'failed']),
      error: z.string().nullable(),
      next: z.string().nullable(),
      started_at: z.iso.datetime().nullable(),
      updated_at: z.iso.datetime().nullable(),
    }),
  ),
})
const appsSchema = z.object({ data: z.array(z.object({ package: z.string(), version_code: z.int() })) })

export interface AppPhone {
  api: Api
  /** The path `/v1/phones/{id}`. */
  path: string
}

/** Creates, sends and completes an upload, and reads it again after its check. */
export async function uploadFile(api: Api, file: Buffer) {
  const created = createdSchema.parse((await api.post('/v1/apps/uploads')).body)
  const { upload_url: url, upload_method: method, upload_headers: headers } = created
  const sent = await fetch(url, { method, headers, body: new Uint8Array(file) })
  expect(sent.status).toBe(200)
  const completed = await api.post(`/v1/apps/uploads/${created.id}/complete`, await sent.json())
  expect([200, 202]).toContain(completed.status)
  const { id } = uploadSchema.parse(completed.body)
  return uploadSchema.parse((await api.get(`/v1/apps/uploads/${id}?wait=ready`)).body)
}

/** Uploads a build of the shop, and returns its ID. */
export async function uploadShop(api: Api, signer: Signer, settings: Partial<ApkSettings> = {}) {
  const { id, status, error } = await uploadFile(
    api,
    makeApk({ package: shop, versionCode: 5, ...settings }, signer),
  )
  expect({ status, error }).toEqual({ status: 'ready', error: null })
  return id
}

export const startInstall = ({ api, path }: AppPhone, uploadId: string, more: object = {}) =>
  api.post(`${path}/apps`, { upload: uploadId, ...more })
export async function installsOf({ api, path }: AppPhone) {
  const answer = await api.get(`${path}/apps/installs`)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return installsSchema.parse(answer.body).data
}

const rowOf = async (phone: AppPhone, id: string) =>
  (await installsOf(phone)).find((row) => row.install === id)
/** Returns the entry of a started install once the install has ended. */
export async function endOf(phone: AppPhone, answer: Answer) {
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  const { install } = startedSchema.parse(answer.body)
  await eventually(
    'the end of the install',
    150_000,
    async () => (await rowOf(phone, install))?.status !== 'running',
  )
  return rowOf(phone, install)
}

export async function versionOf({ api, path }: AppPhone, name = shop) {
  const answer = await api.get(`${path}/apps`)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return appsSchema.parse(answer.body).data.find((app) => app.package === name)?.version_code
}
