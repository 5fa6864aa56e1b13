/**
 * Builds an observation from XML alone, without a phone, for the operator's command
 * line. Pure except for the new ID.
 */
import { limits, newId, systemClock, type Observation } from '@phonerack/shared'
import type { Size } from '../adb/device/device.js'
import { buildTree } from './elements.js'
import { parseNodes } from './nodes.js'
import { buildObservation } from './observation.js'

/**
 * The XML contains neither activity nor keyboard state: the activity is null, and the
 * keyboard counts as visible when its window is among the nodes.
 * @throws ScreenXmlError
 */
export function observationFromXml(xml: string | Uint8Array, screen: Size): Observation {
  const tree = buildTree(parseNodes(xml), screen)
  const keyboardVisible = [...tree.keyboards].some((root) => tree.visible[root])
  const window = {
    package: '',
    activity: null,
    keyboardVisible,
    keyboardPackage: null,
    systemDialog: false,
    screenOn: true,
  }
  const { observation } = buildObservation(tree, window, systemClock.now(), limits.screenAnswer)
  return { ...observation, snapshot_id: newId('snapshot') }
}
