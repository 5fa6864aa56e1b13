/** The adb servers of the machine that a phone accepts, with the real adb. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { startPhone, type Phone, type PhoneOptions } from '../phone.js'
import { startAdb, type Adb } from '../testing/adb.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-keys-'))
const undo: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const step of undo.reverse()) await step()
  rmSync(folder, { recursive: true, force: true })
})

const start = async (name: string, auth: PhoneOptions['auth'], port = 0): Promise<Phone> =>
  startPhone({ port, dataDir: join(folder, name), pace: 'instant', ...(auth === undefined ? {} : { auth }) })

/** A user's adb server, connected to the phone. */
async function user(port: number): Promise<Adb> {
  const serial = `127.0.0.1:${port}`
  const adb = await startAdb(serial)
  undo.push(() => adb.close())
  await adb.run(['connect', serial])
  return adb
}

const seesAs = (adb: Adb, state: string) =>
  vi.waitFor(
    async () => expect((await adb.run(['devices'])).stdout.toString()).toMatch(new RegExp(`\t${state}\n`)),
    { timeout: 60_000, interval: 100 },
  )

it('accepts the first adb server and refuses every other server, even after a restart', async () => {
  const phone = await start('first', 'first')
  const [mine, other] = [await user(phone.port), await user(phone.port)]
  await seesAs(mine, 'device')
  await seesAs(other, 'unauthorized')
  expect((await other.run(['shell', 'id'])).stderr).toContain('unauthorized')
  await phone.close()
  const again = await start('first', 'first', phone.port)
  undo.push(() => again.close())
  // The other server is the first now.
  await other.run(['disconnect'])
  await other.run(['connect', `127.0.0.1:${again.port}`])
  await seesAs(other, 'unauthorized')
  await mine.run(['disconnect'])
  await mine.run(['connect', `127.0.0.1:${again.port}`])
  await seesAs(mine, 'device')
  again.adbKeys.forget()
  await mine.run(['disconnect'])
  await mine.run(['connect', `127.0.0.1:${again.port}`])
  await seesAs(mine, 'unauthorized')
})

it('accepts only the given keys', async () => {
  const key = join(folder, 'adbkey')
  execFileSync('adb', ['keygen', key], { stdio: 'ignore' })
  const phone = await start('given', [readFileSync(`${key}.pub`, 'utf8').trim()])
  undo.push(() => phone.close())
  const stranger = await user(phone.port)
  await seesAs(stranger, 'unauthorized')
  vi.stubEnv('ADB_VENDOR_KEYS', key)
  const mine = await user(phone.port)
  vi.unstubAllEnvs()
  await seesAs(mine, 'device')
})

it('refuses a line that is not a key', async () => {
  await expect(start('broken', ['ssh-rsa AAAA me@there'])).rejects.toThrow('not a public key of adb')
})

it('keeps its folder from other users', async () => {
  const phone = await start('private', 'first')
  await phone.close()
  expect(statSync(join(folder, 'private')).mode & 0o077).toBe(0)
})
