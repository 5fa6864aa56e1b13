/** Gestures that lose their connection or their scrcpy server. */
import type { Progress } from '@phonerack/shared'
import { command } from '../../../adb/quote.js'
import { Failed, Skipped, type Check, type Outcome } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { isRow, openSettings } from './input.js'
import { runActions } from './screen.js'
import { scrcpyServers } from './servers.js'

/** Milliseconds of the long press that loses its phone, and of the time before the loss. */
const longPress = { lasts: 10_000, before: 1000, answer: 8000 }

/**
 * Runs `lose` during a long press, whose outcome must be unknown; afterwards a tap must work.
 * @param unnoticed thrown when the press succeeds
 */
async function loseDuringPress(
  phone: PhoneUnderTest,
  lose: () => Promise<void>,
  unnoticed: Error,
  progress: Progress,
): Promise<Outcome> {
  await openSettings(phone, progress)
  const point = { x: 10, y: 10 }
  const pressing = timed(() =>
    runActions(phone, [{ type: 'long_press', target: point, duration_ms: longPress.lasts }], progress),
  )
  // The result is awaited below.
  pressing.catch(() => undefined)
  await progress.sleep(longPress.before, 'the long press')
  const lostAt = performance.now()
  await lose()
  const reason = await pressing.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const ms = Math.round(performance.now() - lostAt)
  if (reason === null) throw unnoticed
  const evidence = [`${ms} ms after the loss: ${reason}`]
  if (!reason.includes('action_outcome_unknown'))
    throw new Failed('the lost gesture has another error than action_outcome_unknown', { evidence })
  if (ms > longPress.answer) throw new Failed(`the gesture ended only ${ms} ms after the loss`, { evidence })
  const { ms: backMs } = await timed(() => phone.untilLink('healthy', progress))
  await runActions(phone, [{ type: 'home' }], progress)
  const row = (await openSettings(phone, progress)).elements.find(isRow)
  if (row === undefined) throw new Failed('the settings have no row with a text', { evidence })
  await runActions(phone, [{ type: 'tap', target: { text: row.text ?? '', nth: 0 } }], progress)
  return { evidence, times: { ended: ms, back: backMs } }
}

export const lostInput: Check = {
  name: 'lost_input',
  claim:
    'A gesture whose connection is lost ends immediately as `action_outcome_unknown`, and a tap works again.',
  needs: ['tap'],
  limitMs: 180_000,
  run: (phone, progress) =>
    loseDuringPress(
      phone,
      () => cut(phone, progress),
      new Skipped('the connection came back before the gesture noticed the loss'),
      progress,
    ),
}

export const lostServer: Check = {
  name: 'lost_server',
  claim:
    'A gesture whose scrcpy server dies ends immediately as `action_outcome_unknown`, and a tap works again.',
  needs: ['tap'],
  limitMs: 180_000,
  run: (phone, progress) =>
    loseDuringPress(
      phone,
      async () => {
        const servers = await scrcpyServers(phone, progress)
        if (servers.length === 0) throw new Failed('`ps` does not list a scrcpy server')
        const transport = await phone.transport(progress)
        const kill = command('kill', ...servers.map(({ pid }) => pid))
        const { exitCode, stderr } = await transport.shell(kill, progress)
        if (exitCode !== 0)
          throw new Failed(`\`kill\` ended with ${exitCode}: ${stderr.toString('utf8').trim()}`)
      },
      new Failed('the gesture succeeded although its scrcpy server was killed'),
      progress,
    ),
}

/** Closes adb's connection to the phone. */
export async function cut(phone: PhoneUnderTest, progress: Progress): Promise<void> {
  const transport = await phone.transport(progress)
  if (phone.serial.includes(':')) await phone.client.disconnect(phone.serial, progress)
  else await transport.reconnect(progress)
}
