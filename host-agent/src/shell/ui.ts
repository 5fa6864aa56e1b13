/**
 * The element tree by `uiautomator dump`. Only one process may use a phone's
 * UiAutomation at a time, so dumps run one after another.
 */
import type { Progress } from '@phonerack/shared'
import { command, sequence } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import { phoneFolder } from '../device/phone-folder.js'
import type { Ui } from '../device/device.js'

export type UiImplementation = 'uiautomator-tty' | 'uiautomator-file'

const file = `${phoneFolder}/window.xml`

/** Directly to the output where the phone supports it; else through a file in the agent's folder. */
const commands = {
  'uiautomator-tty': command('uiautomator', 'dump', '/dev/tty'),
  'uiautomator-file': sequence(
    command('uiautomator', 'dump', file),
    command('cat', file),
    command('rm', '-f', file),
  ),
}

/**
 * Cuts the XML out of what the command printed, which says more around it. Without a hierarchy the text is
 * returned as it is: the tool's own words (`ERROR: null root node…`) are the best reason there is.
 */
export function cutXml(output: string): string {
  const start = Math.max(output.indexOf('<?xml'), 0)
  const end = output.lastIndexOf('</hierarchy>')
  if (end >= 0) return output.slice(start, end + '</hierarchy>'.length)
  const empty = /<hierarchy[^>]*\/>/.exec(output)
  return empty ? output.slice(start, empty.index + empty[0].length) : output.trim()
}

/** `beforeRead` is called when a read begins. */
export function createUi(transport: Transport, implementation: UiImplementation, beforeRead: () => void): Ui {
  let last: Promise<unknown> = Promise.resolve()
  return {
    async source(progress: Progress) {
      const mine = last.then(async () => {
        progress.check('reading the screen')
        beforeRead()
        return cutXml((await transport.exec(commands[implementation], progress)).toString('utf8'))
      })
      // The next one waits until this one settles; its own caller gets the error.
      last = mine.catch(ignore)
      return progress.race('reading the screen', () => mine)
    },
  }
}

const ignore = (_error: unknown): void => undefined
