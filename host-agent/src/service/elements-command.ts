/** `phonerack-agent elements`: prints the elements that an agent sees in a screen dump. Needs no phone and no configuration. */
import { readFile } from 'node:fs/promises'
import { plainJson } from '@phonerack/shared'
import type { Io } from '../base/cli/io.js'
import { UsageError } from '../base/cli/usage-error.js'
import { observationFromXml } from '../screen/index.js'

/** @throws UsageError for a file that cannot be read, ScreenXmlError for a file that is not a dump */
export async function runElements(
  { file, screen, json }: { file: string; screen: { width: number; height: number }; json: boolean },
  io: Io,
): Promise<void> {
  let xml: Uint8Array
  try {
    xml = await readFile(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  const observation = observationFromXml(xml, screen)
  io.out(json ? `${plainJson(JSON.stringify(observation, null, 2))}\n` : `${observation.text}\n`)
}
