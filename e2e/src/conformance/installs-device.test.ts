/**
 * An app of a tenant through `/v1`, from its upload to its removal. `installs-device.long.test.ts` tests
 * refusals and faults.
 */
import { newSigner } from '@phonerack/virtual-phone/apk-builder'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { endOf, installsOf, shop, startedSchema, startInstall, uploadShop, versionOf } from './installs.js'
import { rent, type Rented } from './rented.js'

let phone: Rented
beforeAll(async () => {
  phone = await rent(inject('system'))
})
afterAll(() => phone.api.delete(phone.path))

describe('an uploaded app', () => {
  it('is uploaded, installed, listed, updated and uninstalled [1.7, 33.11, 33.25, 37.1, 37.7]', async () => {
    const signer = await newSigner('ours')
    const first = await uploadShop(phone.api, signer)
    const answer = await startInstall(phone, first)
    expect(startedSchema.parse(answer.body)).toMatchObject({ package: shop, upload: first })
    expect(await endOf(phone, answer)).toMatchObject({
      package: shop,
      upload: first,
      status: 'succeeded',
      error: null,
      next: null,
    })
    expect(await versionOf(phone)).toBe(5)
    const second = await uploadShop(phone.api, signer, {
      versionCode: 6,
      files: { pad: Buffer.alloc(300_000, 1) },
    })
    expect((await endOf(phone, await startInstall(phone, second)))?.status).toBe('succeeded')
    expect(await versionOf(phone)).toBe(6)
    expect((await installsOf(phone)).map((row) => row.upload)).toEqual([second, first])
    const uninstalled = await phone.api.delete(`${phone.path}/apps/${shop}`)
    expect([uninstalled.status, uninstalled.body]).toEqual([200, { package: shop, uninstalled: true }])
    expect(await versionOf(phone)).toBeUndefined()
  })
})
