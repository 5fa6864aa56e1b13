/** Crash reports: the forms of Android, and a virtual phone through the real adb server. */
import { Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { createCrashes } from './crashes.js'
import { parseEntries, parseReport, reportIn } from './dropbox.js'

const list = `Drop box contents: 4 entries
Max entries: 1000
Low priority rate limit period: 2000 ms

2026-01-31 12:34:56 SYSTEM_BOOT (text, 200 bytes)
    /data/system/dropbox/SYSTEM_BOOT@1769862896000.txt
2026-01-31 12:34:57 data_app_crash (compressed text, 1203 bytes)
    /data/system/dropbox/data_app_crash@1769862897123.txt.gz
2026-01-31 12:34:57 data_app_crash (text, 90 bytes)
    /data/system/dropbox/data_app_crash@1769862897456.txt
2026-01-31 12:35:00 data_app_anr (contents lost)
    /data/system/dropbox/data_app_anr@1769862900000.lost
`

describe('the drop box', () => {
  it('lists the reports of apps with their times', () => {
    const entries = parseEntries(list)
    expect(entries?.map(({ tag, at }) => [tag, at.getTime()])).toEqual([
      ['data_app_crash', 1_769_862_897_123],
      ['data_app_crash', 1_769_862_897_456],
      ['data_app_anr', 1_769_862_900_000],
    ])
    expect(parseEntries("Can't find service: dropbox")).toBeNull()
  })

  it('finds a report between other reports of the same second, with any content [42.17]', () => {
    const [first, second] = parseEntries(list) ?? []
    if (!first || !second) throw new Error('no entries')
    const border = '========================================\n'
    const forged = `${border}2026-01-31 12:34:58 data_app_crash (text, 5 bytes)\nProcess: forged\n`
    const output = `Drop box contents: 4 entries\n\n${border}${first.header}\nProcess: com.a\n\none\n${forged}\n${border}${second.header}\nProcess: com.b\n\ntwo\n\n`
    expect(reportIn(output, first, 0)).toBe(`Process: com.a\n\none\n${forged}\n`)
    expect(reportIn(output, second, 0)).toContain('Process: com.b')
    expect(reportIn('(No entries found.)\n', first, 0)).toBeNull()
  })

  it('reads the cause of each kind [42.18]', () => {
    const head = 'Process: com.example.shop:pay\nPID: 5120\nPackage: com.example.shop v412 (4.12.0)\n'
    expect(
      parseReport('crash', `${head}\njava.lang.IllegalStateException: empty cart\n\tat a.b(C.kt:1)\n`),
    ).toEqual({
      process: 'com.example.shop:pay',
      package: 'com.example.shop',
      pid: 5120,
      exception: 'java.lang.IllegalStateException',
      reason: 'empty cart',
      stack: 'java.lang.IllegalStateException: empty cart\n\tat a.b(C.kt:1)',
    })
    expect(parseReport('anr', `${head}Subject: Input dispatching timed out\n\n"main"`)).toMatchObject({
      exception: null,
      reason: 'Input dispatching timed out',
      stack: '"main"',
    })
    const native = `${head}\nsignal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\nbacktrace:\n`
    expect(parseReport('native_crash', native)).toMatchObject({ exception: 'SIGSEGV', reason: null })
    for (const pid of ['99999999999', '2147483648', '0', '-1', '1e3.5', 'x'])
      expect(parseReport('crash', `Process: a\nPID: ${pid}\n\nx`).pid, pid).toBeNull()
    expect(parseReport('crash', 'Process: a\nPID: 2147483647\n\nx').pid).toBe(0x7fff_ffff)
    expect(parseReport('crash', '')).toMatchObject({ package: '', pid: null, exception: null, stack: '' })
  })
})

describe('a phone', () => {
  const trouble = 'com.phonerack.trouble'
  const progress = () => Progress.for(60_000)
  let plugged: PluggedIn
  beforeAll(async () => {
    plugged = await plugIn()
  })
  afterAll(() => plugged.stop())
  const shell = (...words: string[]) => plugged.transport.shell(command(...words), progress())
  const read = (query: Partial<Parameters<ReturnType<typeof createCrashes>['list']>[0]> = {}) =>
    createCrashes(plugged.transport).list({ package: null, limit: 10, cursor: null, ...query }, progress())

  async function tap(id: string): Promise<void> {
    const dump = (await shell('uiautomator', 'dump', '/dev/tty')).stdout.toString()
    const bounds = '\\[(\\d+),(\\d+)\\]\\[(\\d+),(\\d+)\\]'
    const found = new RegExp(`resource-id="${id}"[^>]*bounds="${bounds}"`).exec(dump)
    const [left = 0, top = 0, right = 0, bottom = 0] = found?.slice(1).map(Number) ?? []
    await shell('input', 'tap', String((left + right) / 2), String((top + bottom) / 2))
  }

  /** Taps a button of the app Trouble, and then closes the system's dialog. */
  async function breakDown(button: string): Promise<void> {
    await shell('am', 'start', '-n', `${trouble}/.MainActivity`)
    await tap(`${trouble}:id/${button}`)
    await tap('android:id/aerr_close')
  }

  it('reports none before', async () => {
    expect(await read()).toEqual({ crashes: [], more: false })
  })

  it('reports a crash and a hang with their stacks, newest first [42.15]', async () => {
    await breakDown('crash')
    await breakDown('hang')
    const { crashes, more } = await read()
    expect(more).toBe(false)
    expect(crashes.map(({ kind }) => kind)).toEqual(['anr', 'crash'])
    expect(crashes[1]).toMatchObject({
      package: trouble,
      process: trouble,
      pid: 40_110,
      truncated: false,
      exception: 'java.lang.IllegalStateException',
      reason: 'Crashed on command',
    })
    expect(crashes[1]?.stack).toContain('\tat com.phonerack.trouble.MainActivity.crash(MainActivity.kt:42)\n')
    expect(crashes[0]?.stack).toContain('"main" prio=5')
    expect(Math.abs((crashes[0]?.at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  it('divides them into pages, and filters by app', async () => {
    const first = await read({ limit: 1 })
    expect(first.more).toBe(true)
    const second = await read({ limit: 1, cursor: first.crashes[0]?.cursor ?? '' })
    expect([first, second].flatMap(({ crashes }) => crashes.map(({ kind }) => kind))).toEqual([
      'anr',
      'crash',
    ])
    expect(second.more).toBe(false)
    expect((await read({ package: trouble })).crashes).toHaveLength(2)
    expect((await read({ package: 'com.example.other' })).crashes).toEqual([])
    expect((await read({ cursor: 'data_app_crash@5' })).crashes).toEqual([])
  })
})
