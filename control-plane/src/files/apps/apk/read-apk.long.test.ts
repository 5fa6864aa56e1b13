/** Parsing of real, generated and malicious APKs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { zipOf } from '@phonerack/virtual-phone/apk-builder'
import { makeApk } from '../../../testing/apk.js'
import { apkFactsSchema, InvalidApk, type ApkFacts } from './facts.js'
import { inspectApk } from './inspect.js'
import { readApk } from './read-apk.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-apk-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

let files = 0
function fileWith(bytes: Buffer): string {
  const file = path.join(dir, `${(files += 1)}`)
  writeFileSync(file, bytes)
  return file
}
/** Contains the host agent's helper APKs. */
const modules = fileURLToPath(new URL('../../../../../node_modules', import.meta.url))
const settings = path.join(modules, 'io.appium.settings/apks/settings_apk-debug.apk')
const server = path.join(modules, 'appium-uiautomator2-server/apks/appium-uiautomator2-server-v10.6.6.apk')

const reasonOf = async (work: Promise<ApkFacts>): Promise<string> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof InvalidApk) return error.message
  throw new Error('it was not refused as an APK', { cause: error })
}

it('reads real APKs: version, label from the resource table, and signer', async () => {
  expect(await inspectApk(settings)).toEqual({
    package: 'io.appium.settings',
    split: null,
    versionCode: 192,
    versionName: '8.0.10',
    minSdk: 26,
    minCodename: null,
    targetSdk: 35,
    abis: [],
    label: 'Appium Settings',
    needsSplits: false,
    jarOnly: false,
    signer: '680dbbc39ab0944796c811b636ace510c8e551317087036cebab0751b0a6190c',
  })
  // Signed with AOSP's public test key, whose fingerprint is known.
  expect(await inspectApk(server)).toMatchObject({
    package: 'io.appium.uiautomator2.server',
    versionName: '10.6.6',
    signer: 'a40da80a59d170caa950cf15c18c454d47a39b26989d8b640ecd745ba71bf5dc',
  })
})

it('reads the generated facts', async () => {
  const text = fc.stringMatching(/^[a-zA-Z0-9 äß世.-]{1,30}$/).map((each) => each.trim() || 'x')
  await fc.assert(
    fc.asyncProperty(
      fc.stringMatching(/^[a-z][a-z0-9_]{0,9}(\.[a-z][a-z0-9_]{0,9}){1,3}$/),
      fc.integer({ min: 0, max: 0xffffffff }),
      text,
      text,
      fc.integer({ min: 1, max: 36 }),
      fc.option(fc.constantFrom('config.en', 'config.arm64_v8a'), { nil: undefined }),
      fc.boolean(),
      async (name, versionCode, versionName, label, minSdk, split, splitRequired) => {
        const facts = await readApk(
          fileWith(
            makeApk({
              package: name,
              versionCode,
              versionName,
              label,
              minSdk,
              ...(split === undefined ? {} : { split }),
              splitRequired,
            }),
          ),
        )
        expect(facts).toMatchObject({ package: name, versionCode, minSdk, split: split ?? null })
        expect([facts.versionName, facts.label]).toEqual(
          [versionName, label].map((each) => each.replace(/\s+/g, ' ')),
        )
        expect(facts.needsSplits).toBe(splitRequired)
      },
    ),
    { numRuns: 60 },
  )
})

it.each([
  ['nothing', Buffer.alloc(0), /not a ZIP/],
  ['text', Buffer.from('hello'), /not a ZIP/],
  ['another archive', zipOf({ 'a.txt': Buffer.from('a') }), /does not contain AndroidManifest/],
  ['a text manifest', zipOf({ 'AndroidManifest.xml': Buffer.from('<manifest/>') }), /manifest/],
  ['an unsigned APK', makeApk({}, null), /is not signed/],
  ['a package without a dot', makeApk({ package: 'app' }), /valid package name/],
  ['a package that is a path', makeApk({ package: '../../etc.passwd' }), /valid package name/],
])('refuses %s with a reason', async (_what, bytes, reason) => {
  expect(await reasonOf(readApk(fileWith(bytes)))).toMatch(reason)
})

it('recognises a truncated APK, wherever it is truncated', async () => {
  const real = readFileSync(settings)
  for (const bytes of [real.subarray(0, 100), real.subarray(0, real.length >> 1), real.subarray(0, -1000)])
    expect(await reasonOf(readApk(fileWith(bytes)))).toMatch(/truncated: .*Upload the whole file again/)
})

it('refuses content that was changed after it was signed, at any position', async () => {
  for (const original of [
    readFileSync(settings),
    readFileSync(server),
    makeApk({ files: { b: Buffer.alloc(3_000_000) } }),
  ]) {
    const directory = original.readUInt32LE(original.lastIndexOf('PK\x05\x06') + 16)
    const block = directory - 8 - Number(original.readBigUInt64LE(directory - 24))
    // Positions in the entries (first and last chunk), and in the directory (a time stamp).
    for (const at of [5000, block - 1, directory + 12]) {
      const changed = Buffer.from(original)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(await reasonOf(inspectApk(fileWith(changed))), `byte ${at}`).toMatch(
        at === 5000 ? /changed after it was signed|cannot be/ : /changed after it was signed/,
      )
    }
  }
})

it('refuses a signature that does not match its certificate, or is missing', async () => {
  for (const original of [readFileSync(settings), readFileSync(server), makeApk()]) {
    const directory = original.readUInt32LE(original.lastIndexOf('PK\x05\x06') + 16)
    const start = directory - Number(original.readBigUInt64LE(directory - 24))
    // The first pair: length, scheme, signers, signer, signed data, followed by the signatures.
    const signedAt = start + 8 + 4 + 4 + 4
    const signedBytes = original.readUInt32LE(signedAt)
    const isV3 = original.readUInt32LE(start + 8) !== 0x7109871a
    const signaturesAt = signedAt + 4 + signedBytes + (isV3 ? 8 : 0)
    const firstSignature = signaturesAt + 4 + 4 + 4 + 4
    const changed = Buffer.from(original)
    changed.writeUInt8(changed.readUInt8(firstSignature + 20) ^ 1, firstSignature + 20)
    expect(await reasonOf(readApk(fileWith(changed)))).toMatch(/signature .* does not match its certificate/)
    // A digest recomputed without the key.
    const digest = Buffer.from(original)
    const digestAt = signedAt + 4 + 4 + 4 + 4 + 4 + 2
    digest.writeUInt8(digest.readUInt8(digestAt) ^ 1, digestAt)
    expect(await reasonOf(readApk(fileWith(digest)))).toMatch(/signature .* does not match its certificate/)
    const bare = Buffer.from(original)
    bare.writeUInt32LE(0, signaturesAt)
    expect(await reasonOf(readApk(fileWith(bare)))).toMatch(/does not match|block .* is damaged/)
  }
})

it("reads the requirements: native code, target, and a preview's code name", async () => {
  const files = {
    'lib/arm64-v8a/a.so': Buffer.alloc(1),
    'lib/x86_64/b.so': Buffer.alloc(1),
    'lib/x/y/z.so': Buffer.alloc(1),
  }
  const of = async (minSdk: string) => {
    const facts = await readApk(fileWith(makeApk({ minSdk, targetSdk: 33, files })))
    return [facts.minSdk, facts.minCodename, facts.targetSdk, facts.abis]
  }
  const abis = ['arm64-v8a', 'x86_64']
  expect(await of('Tiramisu')).toEqual([33, 'Tiramisu', 33, abis])
  expect(await of('UpsideDownCake.0123abcd')).toEqual([34, 'UpsideDownCake', 33, abis])
  expect(await of('constructor')).toEqual([10_000, 'constructor', 33, abis])
  expect(await of('29')).toEqual([29, null, 33, abis])
})

/** An entry that unpacks to `unpacked` zeros while the directory declares `declared`. */
function bomb(name: string, unpacked: number, declared: number): Buffer {
  const packed = deflateRawSync(Buffer.alloc(unpacked), { level: 9 })
  const zip = zipOf({ [name]: packed })
  for (const at of [zip.indexOf('PK\x03\x04') + 4, zip.lastIndexOf('PK\x01\x02') + 6]) {
    zip.writeUInt16LE(8, at + 4)
    zip.writeUInt32LE(declared, at + 18)
  }
  return zip
}

it.each([
  ['with its true size', 200_000_000, 200_000_000],
  ['with a false size', 200_000_000, 1000],
])('refuses a zip bomb %s', async (_what, unpacked, declared) => {
  const reason = await reasonOf(inspectApk(fileWith(bomb('AndroidManifest.xml', unpacked, declared))))
  expect(reason).toMatch(/manifest .*(is larger than|cannot be unpacked)/)
})

it('refuses two manifests, and an end record with too many entries', async () => {
  const twice = zipOf({ 'AndroidManifest.xml': Buffer.alloc(9), 'AndroidManifest.xmk': Buffer.alloc(9) })
  for (let at = twice.indexOf('.xmk'); at >= 0; at = twice.indexOf('.xmk')) twice.write('.xml', at)
  expect(await reasonOf(readApk(fileWith(twice)))).toMatch(/two manifests/)
  const many = zipOf({ a: Buffer.alloc(1) })
  many.writeUInt16LE(60_000, many.lastIndexOf('PK\x05\x06') + 10)
  expect(await reasonOf(readApk(fileWith(many)))).toMatch(/ZIP directory .* is damaged/)
})

it('never breaks on a mutated APK: parses it, or refuses it with a reason', async () => {
  const made = makeApk({ files: { 'resources.arsc': Buffer.alloc(64, 7) } })
  const real = readFileSync(settings)
  // The parts of the real file that are read: the end with its directory, and the signing block.
  const tail = real.length - 60_000
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 30 }),
      fc.option(fc.nat(), { nil: null, freq: 4 }),
      async (isReal, changes, cut) => {
        const bytes = Buffer.from(isReal ? real : made)
        const from = isReal ? tail : 0
        for (const [at, value] of changes) bytes[from + (at % (bytes.length - from))] = value
        const file = fileWith(cut === null ? bytes : bytes.subarray(0, cut % bytes.length))
        try {
          apkFactsSchema.parse(await readApk(file))
        } catch (error) {
          if (!(error instanceof InvalidApk)) throw error
          expect(error.message.length).toBeLessThanOrEqual(300)
          refused += 1
        } finally {
          rmSync(file)
        }
      },
    ),
    { numRuns: 400 },
  )
  expect(refused).toBeGreaterThan(20)
})

it('gives up a file that takes too long to read', async () => {
  const gone = new AbortController()
  const reading = inspectApk(settings, gone.signal)
  gone.abort()
  await expect(reading).rejects.not.toBeInstanceOf(InvalidApk)
})
