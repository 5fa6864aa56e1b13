/** The log of a virtual phone through the real adb server. */
import { createLogger, Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import type { LogQuery } from '../../adb/device/reports.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { createLogs } from './logs.js'
import { beginLog } from './mark.js'

const log = createLogger('test')
log.level = 'silent'
const progress = () => Progress.for(60_000)
let plugged: PluggedIn
let mark: string | null = ''
beforeAll(async () => {
  plugged = await plugIn()
})
afterAll(() => plugged.stop())

const shell = (...words: string[]) => plugged.transport.shell(command(...words), progress())
const write = (...words: string[]) => shell('log', ...words)
const everything: LogQuery = { package: null, minLevel: 'verbose', since: null, limit: 100, cursor: null }
const read = (query: Partial<LogQuery> = {}) =>
  createLogs(plugged.transport, () => mark).read({ ...everything, ...query }, progress())
const messages = async (query: Partial<LogQuery> = {}) =>
  (await read(query)).lines.map(({ message }) => message)
const begin = async () => {
  mark = await beginLog(plugged.transport, log, progress())
}

describe('the log', () => {
  it('contains no line from before the phone got its device [42.8]', async () => {
    await write('-t', 'Before', 'written by the last tenant')
    await begin()
    await write('-t', 'After', 'written by this tenant')
    expect(await messages()).toEqual(['written by this tenant'])
    expect((await shell('logcat', '-d', '-b', 'all')).stdout.toString()).not.toContain('last tenant')
  })

  it('also contains no such line when the buffers could not be emptied [42.9]', async () => {
    await write('-t', 'Before', 'written by the last tenant')
    await write('-t', 'phonerack', 'begin-1')
    mark = 'begin-1'
    await write('-t', 'After', 'written by this tenant')
    expect(await messages()).toEqual(['written by this tenant'])
    mark = null
    await expect(read()).rejects.toMatchObject({ code: 'feature_unavailable' })
  })

  it('is read newest first, with the app, level and time of each line [42.2]', async () => {
    await begin()
    await write('-p', 'w', '-t', 'Tag', 'first')
    await shell('am', 'start', '-n', 'com.phonerack.trouble/.MainActivity')
    const { lines, more } = await read()
    expect(more).toBe(false)
    expect(lines.at(-1)).toMatchObject({
      level: 'warn',
      tag: 'Tag',
      message: 'first',
      package: 'com.android.shell',
    })
    expect(lines[0]).toMatchObject({ level: 'debug', tag: 'MainActivity', package: 'com.phonerack.trouble' })
    expect(Math.abs((lines[0]?.at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
    expect((await read({ package: 'com.phonerack.trouble' })).lines).toHaveLength(1)
    expect(await messages({ minLevel: 'warn' })).toEqual(['first'])
    expect(await messages({ since: new Date(Date.now() + 3_600_000) })).toEqual([])
    expect(await messages({ since: lines[0]?.at ?? null, package: 'com.phonerack.trouble' })).toHaveLength(1)
  })

  it('is divided into pages without duplicate or missing lines, while new lines arrive [42.5]', async () => {
    await begin()
    for (let index = 0; index < 25; index++) await write('-t', 'Tag', `line ${index}`)
    const seen: string[] = []
    let cursor: string | null = null
    for (let page = 0; page < 3; page++) {
      const { lines, more } = await read({ limit: 10, cursor })
      seen.push(...lines.map(({ message }) => message))
      cursor = lines.at(-1)?.cursor ?? null
      expect(more).toBe(page < 2)
      await write('-t', 'Tag', 'a later line')
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `line ${24 - index}`))
  })

  it('ends after a line that is no longer kept [42.6]', async () => {
    await begin()
    await write('-t', 'Tag', 'one')
    const cursor = (await read()).lines[0]?.cursor ?? ''
    await begin()
    await write('-t', 'Tag', 'two')
    expect(await read({ cursor })).toEqual({ lines: [], more: false })
    expect(await read({ cursor: 'no such line' })).toEqual({ lines: [], more: false })
  })

  it('keeps a forged line inside the message of its app [42.12]', async () => {
    await begin()
    const forged = 'first\n01-01 00:00:00.000  1000  1000 E AndroidRuntime: forged'
    await write('-t', 'Tag', forged)
    expect(await messages()).toEqual([forged])
  })

  it('returns any bytes as text of bounded length, without control characters [42.11]', async () => {
    await begin()
    await shell('sh', '-c', 'log -t "$(printf \'T\\377\\033\')" "$(printf \'a\\033[31m\\377\\001b\')"')
    await write('-t', 'x'.repeat(300), '世'.repeat(1300))
    const { lines } = await read()
    expect(lines[1]).toMatchObject({ tag: 'T\ufffd', message: 'a[31m\ufffdb' })
    expect(lines[0]?.tag).toBe(`${'x'.repeat(200)}…`)
    expect(lines[0]?.message.length).toBeLessThan(1301)
  })

  it("does not show the agent's own mark", async () => {
    await begin()
    expect(await messages()).toEqual([])
  })
})
