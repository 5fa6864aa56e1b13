/**
 * Reads the phone's element tree and its foreground window in parallel. Both must agree:
 * Android's cache of a screen can lag, and windows can change between the reads. The
 * tree takes by far the longest, so the other reads begin after its request was sent.
 */
import { setImmediate } from 'node:timers/promises'
import { ownNow, type Progress } from '@phonerack/shared'
import type { Device, WindowState } from '../adb/device/device.js'
import { measured } from '../base/metrics/instruments.js'
import { inParallel } from './in-parallel.js'
import { showsDialog } from './behind-dialog.js'
import { buildTree, type ScreenTree } from './elements.js'
import { ScreenXmlError } from './errors.js'
import { parseNodes, type ParsedNodes, type UiNode } from './nodes.js'

/** A tree that is empty or broken because a window has changed is often complete a moment later. */
const maxAttempts = 3
const pauseMs = 300
/**
 * Milliseconds. A failed read that took longer is not repeated: the screen never becomes idle, so another attempt would
 * take as long.
 */
const patienceMs = 5000

/** The tree of a screen that is off: Android may still return a cached tree. */
const nothing: ParsedNodes = { nodes: [], frontFirst: false, keyboards: new Set(), cut: false }

export interface ScreenRead {
  /** `cut` is also set when the tree does not show the foreground app, and so is incomplete. */
  tree: ScreenTree
  window: WindowState
}

/** @throws ScreenXmlError after broken answers; ApiError, DeviceGone, DeadlineExceeded */
export const readScreen = (device: Device, progress: Progress): Promise<ScreenRead> =>
  measured('tree', () => readUntilWhole(device, progress))

async function readUntilWhole(device: Device, progress: Progress): Promise<ScreenRead> {
  const startedAt = ownNow()
  let refresh = false
  for (let attempt = 1; ; attempt += 1) {
    const [xml, [screen, window]] = await inParallel(
      () => device.ui.source(progress, refresh),
      async () => {
        await setImmediate()
        return inParallel(
          () => device.screen.size(progress),
          () => device.windows.read(progress),
        )
      },
    )
    if (!window.screenOn) return { tree: buildTree(nothing, screen), window }
    try {
      const tree = buildTree(parseNodes(xml), screen, window)
      if (showsForeground(tree, window)) return { tree, window }
      if (refresh) return { tree: { ...tree, cut: true }, window }
      refresh = true
    } catch (error) {
      const again = attempt < maxAttempts && ownNow() - startedAt < patienceMs
      if (!(error instanceof ScreenXmlError) || error.neverIdle || !again) throw error
      await progress.sleep(pauseMs, 'reading the screen again')
    }
  }
}

/** @throws ScreenXmlError after broken answers; ApiError, DeviceGone, DeadlineExceeded */
export const readTree = async (device: Device, progress: Progress): Promise<ScreenTree> =>
  (await readScreen(device, progress)).tree

/** The fields that `showsForeground` needs. */
type ForegroundWindow = Pick<WindowState, 'package' | 'systemDialog'>

/**
 * Whether the tree contains the foreground app, or the system dialog over it; also true
 * when the phone does not report the app, or the nodes' packages.
 */
export function showsForeground(
  { nodes, keyboards }: Pick<ParsedNodes, 'keyboards'> & { nodes: readonly UiNode[] },
  foreground: ForegroundWindow,
): boolean {
  const packages = new Set(nodes.map((node) => node.package))
  packages.delete('')
  if (packages.size === 0) return true
  if (foreground.systemDialog) return showsDialog({ nodes, keyboards }, foreground)
  return foreground.package === '' || packages.has(foreground.package)
}
