import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isTimeZone } from './time-zones.js'

it('knows every zone that Intl lists [35.27]', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) expect(isTimeZone(zone), zone).toBe(true)
})

it('knows links, and refuses offsets and other cases [35.28]', () => {
  for (const name of ['EST', 'Etc/GMT+9', 'US/Pacific', 'GMT+0', 'ROC'])
    expect(isTimeZone(name), name).toBe(true)
  for (const name of ['GMT+5', 'UTC+5', '+05:30', 'est', 'Europe', 'Factory', 'constructor', ''])
    expect(isTimeZone(name), name).toBe(false)
})

const source = '/usr/share/zoneinfo/tzdata.zi'
it.skipIf(!existsSync(source))("contains every name of this machine's tz database", () => {
  const text = readFileSync(source, 'utf8')
  const zones = [...text.matchAll(/^Z (\S+)/gm), ...text.matchAll(/^L \S+ (\S+)/gm)].map(
    ([, name]) => name ?? '',
  )
  expect(zones.length).toBeGreaterThan(400)
  expect(zones.filter((name) => name !== 'Factory' && !isTimeZone(name))).toEqual([])
})
