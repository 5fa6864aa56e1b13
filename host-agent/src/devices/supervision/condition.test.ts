import { Progress } from '@phonerack/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { parseCondition, warningsOf, watchCondition } from './condition.js'

const well = {
  battery_percent: 80,
  battery_celsius: 25.5,
  storage_free_bytes: 40e9,
  storage_total_bytes: 64e9,
  highest_app_uid: 10_200,
  lock_credential: false,
}

describe("a phone's condition output", () => {
  it('is parsed section by section', () => {
    const text = `== phonerack boot
1b4e28ba-2fa1-11d2-883f-0016d3cca427
== phonerack battery
Current Battery Service state:
  level: 41
  scale: 50
  temperature: 315
== phonerack storage
Filesystem     1K-blocks     Used Available Use% Mounted on
/dev/block/dm-5 112000000 60000000  52000000  54% /data/user/0
== phonerack lock
Current lock settings service state:
User 0
    CredentialType: PATTERN
== phonerack packages
package:com.android.settings uid:1000
package:org.example.one uid:10123
package:org.example.two uid:10245,1010245
`
    expect(parseCondition(text)).toEqual({
      bootId: '1b4e28ba-2fa1-11d2-883f-0016d3cca427',
      battery_percent: 82,
      battery_celsius: 31.5,
      storage_free_bytes: 52_000_000 * 1024,
      storage_total_bytes: 112_000_000 * 1024,
      highest_app_uid: 10_245,
      lock_credential: true,
    })
  })

  it('has unknown values, and no warning, where the output is not understood', () => {
    const unknown = {
      battery_percent: null,
      battery_celsius: null,
      storage_free_bytes: null,
      storage_total_bytes: null,
      highest_app_uid: null,
      lock_credential: null,
    }
    const refused =
      "== phonerack battery\nCan't find service: battery\n== phonerack storage\ndf: /data: denied\n"
    expect(parseCondition(refused)).toEqual({ bootId: null, ...unknown })
    expect(warningsOf(unknown)).toEqual([])
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        parseCondition(text)
        parseCondition(`== phonerack battery\n${text}\n== phonerack storage\n${text}`)
      }),
    )
  })
})

describe('a warning', () => {
  it('is absent while the phone is healthy', () => {
    expect(warningsOf(well)).toEqual([])
  })

  it.each([
    ['battery is at 19 %', { battery_percent: 19 }],
    ['45.0 °C', { battery_celsius: 45 }],
    ['storage is nearly full', { storage_free_bytes: 6e9 }],
    ['storage is nearly full', { storage_free_bytes: 0.9e9, storage_total_bytes: null }],
    ['app UID 19901', { highest_app_uid: 19_901 }],
    ['screen lock is set', { lock_credential: true }],
  ])('reports that the %s', (words, change) => {
    expect(warningsOf({ ...well, ...change })).toEqual([expect.stringContaining(words)])
  })

  it.each([
    { battery_percent: 20 },
    { battery_celsius: 44.9 },
    { storage_free_bytes: 6.4e9 },
    { highest_app_uid: 19_899 },
  ])('is not given for %o', (change) => {
    expect(warningsOf({ ...well, ...change })).toEqual([])
  })
})

describe('condition watch', () => {
  let plugged: PluggedIn
  beforeAll(async () => {
    plugged = await plugIn()
  })
  afterAll(() => plugged.stop())
  const progress = () => Progress.for(10_000)

  it('reads battery, storage, app UIDs and lock, and reads again only when due', async () => {
    const { inside } = plugged.phone
    const watch = watchCondition(plugged.transport, 0)
    expect(watch.latest).toBeNull()
    await watch.readWhenDue(progress())
    expect(watch.latest).toMatchObject({ battery_percent: 100, lock_credential: false, warnings: [] })
    expect(watch.latest?.storage_free_bytes).toBeGreaterThan(1e9)

    inside.faults.setBattery(7)
    inside.faults.setTemperature(47.5)
    await inside.faults.leave(['lock-credential', 'package'])
    inside.faults.fullStorage(true)
    await watch.readWhenDue(progress())
    expect(watch.latest).toMatchObject({ battery_percent: 7, battery_celsius: 47.5, lock_credential: true })
    expect(watch.latest?.highest_app_uid).toBeGreaterThanOrEqual(10_000)
    expect(watch.latest?.warnings).toHaveLength(4)

    const slow = watchCondition(plugged.transport, 60_000)
    expect([await slow.readWhenDue(progress()), await slow.readWhenDue(progress())]).toEqual([true, false])
  })
})
