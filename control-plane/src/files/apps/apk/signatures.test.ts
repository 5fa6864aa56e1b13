/**
 * Signatures of schemes v2, v3 and v3.1: each type of key, mismatched keys, and blocks made to cost
 * time.
 */
import { verify } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  algorithms,
  newSigner,
  type KeyKind,
  type Signer,
  type Signing,
} from '@phonerack/virtual-phone/apk-builder'
import { afterAll, expect, it } from 'vitest'
import { makeApk } from '../../../testing/apk.js'
import { InvalidApk } from './facts.js'
import { inspectApk } from './inspect.js'
import { readApk } from './read-apk.js'
import { checkSignatures } from './signatures.js'
import { readSigningBlock } from './signing-block.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-signatures-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

let files = 0
function apkOf(signing: Signing, by?: Signer): string {
  const file = path.join(dir, `${(files += 1)}.apk`)
  writeFileSync(file, makeApk({}, by, signing))
  return file
}

/** Null when it is accepted. */
async function reasonOf(
  file: string,
  read: (file: string) => Promise<unknown> = readApk,
): Promise<string | null> {
  try {
    await read(file)
    return null
  } catch (error) {
    if (error instanceof InvalidApk) return error.message
    throw error
  }
}

/** The verifications that checking the APK's signatures takes. */
async function costOf(signing: Signing, by?: Signer): Promise<{ reason: string | null; verified: number }> {
  const file = await open(apkOf(signing, by))
  let verified = 0
  try {
    const block = await readSigningBlock(file)
    if (!block) throw new Error('the APK has no signing block')
    checkSignatures(block, (...of) => {
      verified += 1
      return verify(...of)
    })
    return { reason: null, verified }
  } catch (error) {
    if (error instanceof InvalidApk) return { reason: error.message, verified }
    throw error
  } finally {
    await file.close()
  }
}

const kinds = {
  rsaPss256: 'rsa',
  rsaPss512: 'rsa',
  rsa256: 'rsa',
  rsa512: 'rsa',
  ec256: 'ec',
  ec512: 'ec',
  dsa256: 'dsa',
} as const satisfies Record<keyof typeof algorithms, KeyKind>

it.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  'accepts a signature of the algorithm %s, and refuses it after a change',
  async (name) => {
    const by = await newSigner(name, kinds[name])
    const signing: Signing = { algorithm: algorithms[name], schemes: ['v3', 'v2'] }
    expect(await costOf(signing, by)).toEqual({ reason: null, verified: 2 })
    const file = apkOf(signing, by)
    expect(await reasonOf(file)).toBeNull()
    const bytes = makeApk({}, by, signing)
    // Inside the certificate, which is part of the signed data.
    const at = bytes.indexOf(by.certificate) + by.certificate.length - 5
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    writeFileSync(file, bytes)
    expect(await reasonOf(file)).toMatch(/signature .* does not match its certificate/)
  },
)

it.each<[KeyKind, keyof typeof algorithms]>([
  ['ed25519', 'rsa256'],
  ['ed25519', 'rsaPss256'],
  ['ed25519', 'ec256'],
  ['ed25519', 'dsa256'],
])('refuses an %s key under the algorithm %s', async (kind, name) => {
  const signing = { algorithm: algorithms[name] }
  const by = await newSigner(kind, kind)
  const reason = /signature .* does not match its certificate/
  expect(await reasonOf(apkOf(signing, by))).toMatch(reason)
  expect(await reasonOf(apkOf(signing, by), inspectApk)).toMatch(reason)
})

it('accepts 10 signers with 16 signatures each in each scheme, and verifies each signature once', async () => {
  const most: Signing = { schemes: ['v2', 'v3', 'v3.1'], signers: 10, signatures: 16, digests: 16 }
  expect(await costOf(most)).toEqual({ reason: null, verified: 3 * 10 * 16 })
  expect(await reasonOf(apkOf(most))).toBeNull()
})

it.each<[string, Signing, RegExp]>([
  ['11 signers', { signers: 11 }, /more than 10 signers/],
  ['2000 signers', { signers: 2000 }, /more than 10 signers/],
  ['11 signers in an older scheme', { schemes: ['v2', 'v3'], signers: 11 }, /more than 10 signers/],
  ['17 signatures of a signer', { signatures: 17 }, /more than 16 signatures/],
  ['20,000 signatures of a signer', { signatures: 20_000 }, /more than 16 signatures/],
])('refuses %s, naming the exceeded limit', async (_what, signing, reason) => {
  expect((await costOf(signing)).verified).toBe(0)
  expect(await reasonOf(apkOf(signing))).toMatch(reason)
  expect(await reasonOf(apkOf(signing), inspectApk)).toMatch(reason)
})

it.each([17, 20_000])('refuses %i digests of one signer', async (digests) => {
  expect(await reasonOf(apkOf({ digests }))).toMatch(/more than 16 digests/)
})
