/**
 * The element tree by `uiautomator dump`. Only one process may use a phone's
 * UiAutomation at a time, so dumps run one after another.
 */
import type { Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { phoneFolder } from '../../adb/device/phone-folder.js'
import type { Ui } from '../../adb/device/device.js'

type UiImplementation = 'uiautomator-tty' | 'uiautomator-file'

const file = `${phoneFolder}/window.xml`

/**
 * `uiautomator-tty` writes to the output, which not every phone supports; the other command writes to a file.
 */
const commands = {
  'uiautomator-tty': command('uiautomator', 'dump', '/dev/tty'),
  'uiautomator-file': sequence(
    command('uiautomator', 'dump', file),
    command('cat', file),
    command('rm', '-f', file),
  ),
}

/**
 * Extracts the XML from the output, which has other text around it. Without a hierarchy, returns the text unchanged:
 * the tool's message (`ERROR: null root node…`) is the reason of the failure.
 */
export function extractXml(output: string): string {
  const start = Math.max(output.indexOf('<?xml'), 0)
  const end = output.lastIndexOf('</hierarchy>')
  if (end >= 0) return output.slice(start, end + '</hierarchy>'.length)
  const empty = /<hierarchy[^<>]*\/>/.exec(output)
  return empty ? output.slice(start, empty.index + empty[0].length) : output.trim()
}

/** @param beforeRead called when a read begins */
export function createUi(transport: Transport, implementation: UiImplementation, beforeRead: () => void): Ui {
  let last: Promise<unknown> = Promise.resolve()
  return {
    async source(progress: Progress) {
      const mine = last.then(async () => {
        progress.check('reading the screen')
        beforeRead()
        return extractXml((await transport.exec(commands[implementation], progress)).toString('utf8'))
      })
      // The next dump waits for this dump. Only this caller gets its error.
      last = mine.catch(ignore)
      return progress.race('reading the screen', () => mine)
    },
  }
}

const ignore = (_error: unknown): void => undefined
