/** The watch of a virtual phone's events through the real adb server. */
import { createLogger, Progress } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { until } from '../../testing/until.js'
import type { Observation } from './event-line.js'
import { EventWatch } from './watch.js'

const log = createLogger('test')
log.level = 'silent'
const patience = 60_000
let plugged: PluggedIn
const seen: Observation[] = []
const made: EventWatch[] = []
beforeAll(async () => {
  plugged = await plugIn()
})
afterAll(async () => {
  for (const watch of made) watch.stop()
  await plugged.stop()
})

function newWatch(onObservation = (observation: Observation) => void seen.push(observation)): EventWatch {
  const watch = new EventWatch({ transport: plugged.transport, onObservation, log })
  made.push(watch)
  watch.start()
  return watch
}
const shell = (...words: string[]) => plugged.transport.shell(command(...words), Progress.for(patience))
const post = (tag: string) => shell('cmd', 'notification', 'post', tag, 'text')
const keys = () => seen.map((each) => (each.kind === 'notification' ? each.key : each.crash))

it('reports each crash once, over a lost link and a new watch [42.44]', async () => {
  await post('before')
  const watch = newWatch()
  await until(() => seen.length === 1, patience, 'the earlier notification')
  await post('one')
  await until(() => seen.length === 2, patience, 'a notification')
  plugged.phone.proxy.cut()
  plugged.phone.proxy.restore()
  await plugged.reconnect()
  await post('two')
  await until(() => seen.length === 3, patience, 'a notification after the link was lost')
  expect(keys()).toEqual([
    '0|com.android.shell|2020|before|2000',
    '0|com.android.shell|2020|one|2000',
    '0|com.android.shell|2020|two|2000',
  ])
  watch.stop()
  await post('three')
  const again: Observation[] = []
  newWatch((observation) => void again.push(observation)).forget()
  await until(() => again.length === 4, patience, 'everything for a new agent')
  // The IDs are the same, so that the control plane recognises the reports.
  expect(again.slice(0, 3).map(({ id }) => id)).toEqual(seen.map(({ id }) => id))
})

it('starts again after an unexpected error [42.45]', async () => {
  const again: Observation[] = []
  let isBroken = true
  newWatch((observation) => {
    if (isBroken) {
      isBroken = false
      throw new Error('unexpected')
    }
    again.push(observation)
  })
  await until(() => !isBroken, patience, 'the error')
  await post('after the error')
  const isSeen = () =>
    again.some((each) => each.kind === 'notification' && each.key.includes('after the error'))
  await until(isSeen, patience, 'a notification after the error')
})

it('ends its logcat on the phone', async () => {
  for (const watch of made.splice(0)) watch.stop()
  await until(
    async () => !(await shell('ps', '-A', '-o', 'ARGS')).stdout.toString().includes('logcat -b events'),
    patience,
    'the end of logcat',
  )
})
