/** For tests of the acceptance run: a virtual phone with its faults, and one check at a time on it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import type { Part, Phone } from '@phonerack/virtual-phone'
import { expect } from 'vitest'
import type { CheckResult } from '../service/accept/check.js'
import { allChecks } from '../service/accept/checks/index.js'
import { observeScreen } from '../service/accept/checks/screen.js'
import { startPhoneUnderTest, type PhoneUnderTest } from '../service/accept/phone.js'
import { runChecks } from '../service/accept/run.js'
import { readJar } from '../capture/scrcpy/jar.js'
import { jarPath } from './jar.js'
import { startTestPhone, type TestPhone } from './phone.js'
import { until } from './until.js'

const patience = 60_000
const log = createLogger('test')
log.level = 'silent'

export type Faults = Phone['faults']

/** Faults that were switched on. */
export const used = new Set<string>()
/** All faults of a virtual phone; filled by `startUnderTest`. */
export let switchable: readonly string[] = []
const notFaults = new Set(['constructor', 'close', 'afterWipe'])

export interface UnderTest {
  virtual: TestPhone
  faults: Faults
  phone: PhoneUnderTest
  stop(): Promise<void>
}

interface UnderTestOptions {
  without?: Iterable<Part>
  auth?: boolean
  simAllowed?: boolean
}

export async function startUnderTest({
  without = [],
  auth = false,
  simAllowed = false,
}: UnderTestOptions = {}): Promise<UnderTest> {
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-accept-faults-'))
  const virtual = await startTestPhone(without, auth)
  const phone = await startPhoneUnderTest({
    serial: virtual.serial,
    dir,
    adbBin: 'adb',
    isolated: false,
    simAllowed,
    log,
    jar: await readJar(await jarPath()),
    programs: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' },
  })
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(virtual.inside.faults))
  switchable = names.filter((name) => !notFaults.has(name))
  const faults = new Proxy(virtual.inside.faults, {
    get(target, name, receiver) {
      used.add(String(name))
      return Reflect.get(target, name, receiver) as unknown
    },
  })
  return {
    virtual,
    faults,
    phone,
    async stop() {
      await phone.stop()
      await virtual.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/**
 * Runs one check without the checks that it needs.
 * @param limitMs its limit; default: the check's own
 * @param interrupted ends the run
 */
export async function runCheck(
  { phone }: UnderTest,
  name: string,
  limitMs?: number,
  interrupted: AbortSignal = new AbortController().signal,
): Promise<CheckResult> {
  const check = allChecks.find((each) => each.name === name)
  if (check === undefined) throw new Error(`no check is named ${name}`)
  const [result] = await runChecks({
    checks: [{ ...check, needs: [], limitMs: limitMs ?? check.limitMs }],
    phone,
    interrupted,
    onBegin: () => undefined,
    onEnd: () => undefined,
  })
  if (result === undefined) throw new Error('the check has no result')
  return result
}

export const passes = async (both: UnderTest, ...names: string[]): Promise<void> => {
  for (const name of names)
    expect(await runCheck(both, name)).toMatchObject({ verdict: 'passed', reason: null })
}

export const named = (reason: RegExp): object => ({
  verdict: 'failed',
  reason: expect.stringMatching(reason) as string,
})

/** A phone whose connection was lost is listed as healthy for a moment. */
export const answers = ({ phone }: UnderTest): Promise<void> =>
  until(
    async () => (await observeScreen(phone, Progress.for(patience), true).catch(() => null)) !== null,
    patience,
    'an answer',
  )

/** Repeats a fault that the agent recovers from, as a low-memory killer does. */
export function again(fault: () => unknown): { end(): void } {
  const timer = setInterval(fault, 20)
  return { end: () => clearInterval(timer) }
}
