/** Tenants' shell commands on a virtual phone: output, timeout, processes, restarts, the host's mark, and the wipe. */
import type { ShellResult } from '@phonerack/shared'
import { ObserveMode, type RunActionsResponse } from '@phonerack/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CallFailed } from '../testing/client.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'
import { until } from '../testing/until.js'

let both: PhoneAndHost
beforeAll(async () => {
  both = await startPhoneAndHost()
  const { host, phone } = both
  await untilLink(host, phone.serial, 'unenrolled')
  await host.control.enroll({ serial: phone.serial, fencingNumber: 1n }, 60_000)
  await at(2n).start()
}, 90_000)
afterAll(() => both.stop())

const at = (fencingNumber: bigint) => session(both.host.control, both.phone.serial, fencingNumber)

type Result = ShellResult & { ok: boolean; error?: { code: string } }

function resultsOf(messages: readonly RunActionsResponse[]): Result[] {
  const last = messages.at(-1)?.event
  if (last?.$case !== 'ended') throw new Error('the batch did not end')
  return JSON.parse(Buffer.from(last.value.resultsJson).toString()) as Result[]
}

async function sh(
  fencingNumber: bigint,
  command: string,
  more: { stdin?: string; timeout_ms?: number } = {},
) {
  const [result] = resultsOf(await at(fencingNumber).run([{ type: 'shell', command, ...more }]))
  if (!result) throw new Error('no result')
  return result
}

/** The processes of the phone's shell user by their arguments. */
const running = async (fencingNumber: bigint) => (await sh(fencingNumber, 'ps -A -o ARGS')).stdout

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof CallFailed ? error.plain : error),
  )

describe('a command', () => {
  it('answers both streams and the exit code', async () => {
    expect(await sh(2n, 'echo out; echo err >&2; exit 3')).toMatchObject({
      ok: true,
      stdout: 'out\n',
      stderr: 'err\n',
      exit_code: 3,
      timed_out: false,
      truncated: false,
    })
  })

  it('reads its input, and the end of it', async () => {
    expect((await sh(2n, 'cat', { stdin: 'süß\n' })).stdout).toBe('süß\n')
    expect(await sh(2n, 'cat')).toMatchObject({ stdout: '', exit_code: 0 })
  })

  it('with quotes, a line break and a syntax error is passed on as it is', async () => {
    expect((await sh(2n, `echo "it's"\necho '$HOME'`)).stdout).toBe("it's\n$HOME\n")
    expect((await sh(2n, 'echo "')).exit_code).not.toBe(0)
  })

  it('answers replacements for bytes that are not UTF-8 [44.4]', async () => {
    expect((await sh(2n, String.raw`printf 'a\377b'`)).stdout).toBe('a\ufffdb')
  })

  it('is cut when it prints too much', async () => {
    const { stdout, truncated, exit_code: code } = await sh(2n, 'yes 0123456789 | head -c 1200000')
    expect([stdout.length, truncated, code]).toEqual([1_000_000, true, 0])
    expect(stdout.startsWith('0123456789\n')).toBe(true)
  })

  it('is ended when it never stops printing', async () => {
    const result = await sh(2n, 'yes', { timeout_ms: 30_000 })
    expect(result).toMatchObject({ exit_code: null, timed_out: false, truncated: true })
    expect(await running(2n)).not.toContain('yes')
  })

  it('is ended by its timeout, with what it started and with what it printed until then [44.5]', async () => {
    const result = await sh(2n, 'echo begun; sleep 1111 & sleep 2222', { timeout_ms: 500 })
    expect(result).toMatchObject({ ok: true, stdout: 'begun\n', exit_code: null, timed_out: true })
    expect(result.duration_ms).toBeGreaterThanOrEqual(500)
    expect(await running(2n)).not.toMatch(/1111|2222/)
  })

  it('is ended when its call is aborted, with what it started, and the mark of the host is put back', async () => {
    const command = [
      'rm -rf /data/local/tmp/phonerack; sleep 5555 >/dev/null 2>&1 &',
      'cmd notification post -t Begun begun text; sleep 6666',
    ].join('\n')
    const { inside } = both.phone
    const hasBegun = () => inside.state().notifications.some(({ title }) => title === 'Begun')
    const aborted = at(2n).run([{ type: 'shell', command }], undefined, (_, cancel) => {
      void until(hasBegun).then(cancel)
    })
    await expect(aborted).rejects.toThrow(CallFailed)
    expect((await sh(2n, 'ls /data/local/tmp/phonerack')).stdout).toMatch(/^phone-[\da-f]{32}\n$/)
    expect(await running(2n)).not.toMatch(/5555|6666/)
  })

  it('shares the limit of output with the other commands of its batch', async () => {
    // A control character takes six bytes of JSON.
    const action = { type: 'shell' as const, command: 'head -c 1000000 /dev/zero' }
    const [first, second] = resultsOf(await at(2n).run([action, action]))
    expect(first?.truncated).toBe(true)
    expect(first?.stdout.length).toBeGreaterThan(490_000)
    expect(second).toMatchObject({ ok: true, stdout: '', truncated: true })
  })

  it('is refused in a guarded batch', async () => {
    expect(
      await at(2n)
        .runGuarded([{ type: 'shell', command: 'id' }])
        .then(resultsOf),
    ).toMatchObject([{ ok: false, error: { code: 'shell_not_allowed' } }])
  })

  it('changes the screen, which the batch then shows', async () => {
    const command = 'am start -n com.android.settings/.Settings'
    const messages = await at(2n).run([{ type: 'shell', command }], ObserveMode.OBSERVE_MODE_TEXT)
    const last = messages.at(-1)?.event
    if (last?.$case !== 'ended') throw new Error('the batch did not end')
    expect(Buffer.from(last.value.observationJson).toString()).toContain('com.android.settings')
  })
})

describe('the host', () => {
  it('puts its mark back, so that the phone stays in use', async () => {
    await sh(2n, 'rm -rf /data/local/tmp/*; mkdir /data/local/tmp/phonerack')
    await sh(2n, `touch /data/local/tmp/phonerack/phone-${'0'.repeat(32)}`)
    expect((await sh(2n, 'ls /data/local/tmp/phonerack')).stdout).toMatch(/^phone-(?!0{32})[\da-f]{32}\n$/)
    await at(3n).park()
    await at(4n).start()
    expect((await at(4n).observe()).elements.length).toBeGreaterThan(0)
  })

  it('ends the processes of a session when it ends, and uses the phone again [44.12]', async () => {
    await sh(4n, 'sleep 3333 >/dev/null 2>&1 & (while true; do sleep 4444; done) >/dev/null 2>&1 &')
    expect(await running(4n)).toMatch(/3333[^]*4444|4444[^]*3333/)
    await at(5n).park()
    await at(6n).start()
    const after = await running(6n)
    expect(after).not.toMatch(/3333|4444/)
    expect(after).toContain('scrcpy')
  })

  it('clears a screen lock that a command has set, and wipes [44.14]', async () => {
    await sh(6n, 'locksettings set-pin 2580')
    const { verified } = await at(7n).wipe()
    expect(verified).toBe(true)
    await at(8n).start()
    expect((await sh(8n, 'ls /data/local/tmp/phonerack')).stdout).toContain('phone-')
  })

  it('allows shell commands after a reboot of the API', async () => {
    await sh(8n, 'id')
    await both.host.control.call.rebootPhone({ assignment: at(9n).assignment })
    await at(9n).start()
    expect((await sh(9n, 'id')).exit_code).toBe(0)
  })

  it('knows that a command has turned the screen off', async () => {
    const actions = [
      { type: 'tap', target: { x: 500, y: 1200 } },
      { type: 'shell', command: 'input keyevent 223' },
      { type: 'tap', target: { x: 500, y: 1200 } },
    ] as const
    expect(resultsOf(await at(9n).run(actions)).at(-1)).toMatchObject({
      ok: false,
      error: { code: 'phone_screen_off' },
    })
  })

  it('refuses shell commands and reboots for a while after a command has restarted the phone [44.13]', async () => {
    await at(9n)
      .run([{ type: 'shell', command: 'reboot' }])
      .catch(() => null)
    await untilLink(both.host, both.phone.serial, 'healthy', 60_000)
    const again = () => codeOf(sh(9n, 'id'))
    expect(await again()).toMatchObject({ code: 'rate_limited' })
    expect(await again()).toMatchObject({ code: 'rate_limited' })
    const { assignment } = at(10n)
    expect(await codeOf(both.host.control.call.rebootPhone({ assignment }))).toMatchObject({
      code: 'rate_limited',
    })
    expect((await at(10n).observe()).elements.length).toBeGreaterThan(0)
  })
})
