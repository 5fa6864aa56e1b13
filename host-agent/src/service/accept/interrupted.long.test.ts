/**
 * A run that is interrupted, or whose check fails, while the phone or the machine has a state that the run
 * must remove.
 */
import { Progress } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findMarked } from '../../adb/process-identity.js'
import { command } from '../../adb/quote.js'
import { adbMarkPath } from '../../adb/sockets.js'
import { answers, named, passes, runCheck, startUnderTest, type UnderTest } from '../../testing/under-test.js'
import { until } from '../../testing/until.js'

const patience = 60_000

let both: UnderTest
beforeAll(async () => {
  both = await startUnderTest()
  await passes(both, 'connection', 'enrolment', 'start')
})
afterAll(() => both.stop())

const calls = (name: string) => both.virtual.inside.counters().commands[name] ?? 0

/** Interrupts a check once `isUnderWay`, after `before`. */
async function interrupt(
  name: string,
  isUnderWay: () => boolean,
  before: () => Promise<void> = () => Promise.resolve(),
) {
  const interrupted = new AbortController()
  const running = runCheck(both, name, undefined, interrupted.signal)
  await until(isUnderWay, patience, name)
  await before()
  interrupted.abort()
  return running
}

async function shell(...words: string[]): Promise<string> {
  const progress = Progress.for(patience)
  const { stdout } = await (await both.phone.transport(progress)).shell(command(...words), progress)
  return stdout.toString('utf8').trim()
}

it('resets the traces of a tenant', async () => {
  const read = () =>
    Promise.all([
      shell('settings', 'get', 'secure', 'enabled_accessibility_services'),
      shell('settings', 'get', 'secure', 'always_on_vpn_app'),
      shell('settings', 'get', 'system', 'font_scale'),
    ])
  const before = await read()
  // The trace is read while its setting is set.
  const hung = () => both.virtual.inside.counters().hung
  const hungBefore = hung()
  both.faults.hangEvery(1, 'dumpsys connectivity')
  const result = await interrupt('traces', () => hung() > hungBefore)
  both.faults.hangEvery(0)
  expect(result).toMatchObject({ verdict: 'skipped' })
  expect(await read()).toEqual(before)
})

it('removes its screen lock', async () => {
  const result = await interrupt('lock_reported', () => calls('locksettings set-pin') === 1)
  expect(result).toMatchObject({ verdict: 'skipped' })
  expect(calls('locksettings clear')).toBe(1)
})

it('reports a screen lock that it cannot remove', async () => {
  const result = await interrupt(
    'lock_reported',
    () => calls('locksettings set-pin') === 2,
    () => both.faults.unplug(),
  )
  expect(result).toMatchObject(named(/^the run was interrupted during this check; the PIN 9999 is still set/))
  await both.faults.heal()
  await answers(both)
  await shell('locksettings', 'clear', '--old', '9999')
})

it('survives a connection that cannot be cut during an install', async () => {
  const refuses = { value: () => Promise.reject(new Error('no adb')) }
  const phone = Object.create(both.phone, { transport: refuses }) as UnderTest['phone']
  // Without a handler of the rejection, the process would end during the install.
  expect(await runCheck({ ...both, phone }, 'install_interrupted')).toMatchObject(named(/^no adb$/))
})

it('does not report a scrcpy server that cannot be killed as lost', async () => {
  const transport = async (progress: Progress) => {
    const real = await both.phone.transport(progress)
    const shell: typeof real.shell = (line, within) =>
      real.shell(line.startsWith('kill ') ? command('kill', '999999') : line, within)
    return { ...real, shell }
  }
  const phone = Object.create(both.phone, { transport: { value: transport } }) as UnderTest['phone']
  expect(await runCheck({ ...both, phone }, 'lost_server')).toMatchObject(
    named(/^`kill` ended with 1: .*No such process/),
  )
})

it('stops the adb server that a restart of the agent started', async () => {
  const mark = adbMarkPath(both.phone.dir, both.phone.serial)
  const first = findMarked(mark)
  expect(first).not.toBeNull()
  const result = await interrupt('agent_restart', () => findMarked(mark) !== first)
  expect(result).toMatchObject({ verdict: 'skipped' })
  expect(findMarked(mark)).not.toBeNull()
  await both.phone.stop()
  expect(findMarked(mark)).toBeNull()
})
