/** Reports of phones between the log watch and the heartbeat. */
import { createLogger, phoneReportSchema, reportsPerHeartbeat } from '@phonerack/shared'
import { expect, it } from 'vitest'
import type { Observation } from '../../phone/logs/event-line.js'
import { PhoneReports } from './phone-reports.js'

const log = createLogger('test')
log.level = 'silent'
const phone = { phoneId: 'ph_aaaaaaaaaaaa', serial: 'serial-1' }
const other = { phoneId: 'ph_bbbbbbbbbbbb', serial: 'serial-2' }
const nameOf = (index: number) => `observed-${String(index).padStart(13, '0')}`
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
const crash = (index: number, minute = 0): Observation => ({
  id: nameOf(index),
  at: at(minute),
  kind: 'crash',
  crash: 'anr',
  package: 'com.a',
  pid: 1,
  exception: null,
})

function make() {
  let changes = 0
  const reports = new PhoneReports(log, () => void (changes += 1))
  return { reports, changes: () => changes, ids: () => reports.pending().map(({ id }) => id) }
}

it('are repeated until they are acknowledged [42.46]', () => {
  const { reports, changes, ids } = make()
  reports.add(phone, crash(1))
  reports.add(phone, crash(1))
  reports.add(other, crash(2))
  expect(changes()).toBe(2)
  expect(ids()).toEqual([nameOf(1), nameOf(2)])
  expect(ids()).toEqual([nameOf(1), nameOf(2)])
  for (const each of reports.pending()) expect(phoneReportSchema.parse(each)).toEqual(each)
  reports.acknowledge([nameOf(1), 'unknown'])
  expect(ids()).toEqual([nameOf(2)])
  reports.acknowledge([nameOf(2)])
  expect(ids()).toEqual([])
})

it('name a notification as the API does, without its text', () => {
  const { reports } = make()
  reports.add(phone, {
    id: nameOf(1),
    at: at(0),
    kind: 'notification',
    package: 'com.a',
    key: '0|com.a|1|tag|10001',
  })
  expect(reports.pending()[0]).toMatchObject({
    phone_id: phone.phoneId,
    observed: { kind: 'notification', notification: expect.stringMatching(/^ntf_[a-z2-7]{12}$/) as string },
  })
})

it('are limited per phone and per heartbeat, so that one phone does not hide another', () => {
  const { reports, ids } = make()
  for (let index = 0; index < 200; index++) reports.add(phone, crash(index))
  reports.add(other, crash(999))
  expect(ids()).toHaveLength(reportsPerHeartbeat)
  expect(ids()).toContain(nameOf(999))
  const sent = new Set<string>()
  for (let found = ids(); found.length > 0; found = ids()) {
    for (const id of found) sent.add(id)
    reports.acknowledge(found)
  }
  expect(sent.size).toBe(61)
  for (let minute = 1; minute < 20; minute++)
    for (let index = 0; index < 60; index++) reports.add(phone, crash(1000 * minute + index, minute))
  let count = 0
  for (let found = ids(); found.length > 0; found = ids()) {
    count += found.length
    reports.acknowledge(found)
  }
  expect(count).toBe(500)
})

it('are limited while the clock of the phone jumps back and forth [42.43]', () => {
  const { reports, ids } = make()
  for (let index = 0; index < 400; index++) reports.add(phone, crash(index, index % 2))
  const sent = new Set<string>()
  for (let found = ids(); found.length > 0; found = ids()) {
    for (const id of found) sent.add(id)
    reports.acknowledge(found)
  }
  expect(sent.size).toBe(120)
})

it('omit the same observations when they are read a second time', () => {
  const all = Array.from({ length: 150 }, (_, index) => crash(index, Math.floor(index / 100)))
  const read = () => {
    const { reports, ids } = make()
    for (const each of all) reports.add(phone, each)
    const found: string[] = []
    for (let next = ids(); next.length > 0; next = ids()) {
      found.push(...next)
      reports.acknowledge(next)
    }
    return found
  }
  expect(read()).toEqual(read())
  expect(read()).toHaveLength(110)
})
