import { readFile } from 'node:fs/promises'
import type { Command } from '../commands.js'
import { plainLines } from '@phonerack/shared'
import { UsageError } from '../usage-error.js'

/** Shows the elements that an agent sees in a screen dump, with the host agent's own code. */
export const elementsCommand: Command = {
  name: 'elements',
  about: 'Converts a `uiautomator dump`, or the page source of a UI server, to an observation and prints it.',
  words: ['FILE.xml'],
  flags: { screen: 'WxH' },
  required: ['screen'],
  async run({ words, flags }) {
    const screen = screenFrom(flags['screen'])
    const file = words[0] ?? ''
    let xml: Uint8Array
    try {
      xml = await readFile(file)
    } catch (error) {
      throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`)
    }
    // Imported here because no other command needs the agent's code.
    const { observationFromXml } = await import('@phonerack/host-agent/elements')
    const observation = observationFromXml(xml, screen)
    return { json: observation, text: plainLines(observation.text) }
  },
}

/** @throws UsageError */
export function screenFrom(value: string | boolean | undefined): { width: number; height: number } {
  const match = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(String(value ?? ''))
  if (!match) throw new UsageError('--screen WxH is required, in pixels, for example --screen 1080x2400')
  return { width: Number(match[1]), height: Number(match[2]) }
}
