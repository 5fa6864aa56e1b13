/**
 * Reads the phone's current element tree together with the foreground window. The two
 * are read in parallel and must agree: Android's cache of a screen can lag, and windows
 * change while they are read. The tree takes by far the longest, so it is requested
 * first; the other reads begin once that request has been sent.
 */
import { setImmediate } from 'node:timers/promises'
import { ownNow, type Progress } from '@phonerack/shared'
import type { Device, WindowState } from '../device/device.js'
import { measured } from '../metrics/instruments.js'
import { inParallel } from './in-parallel.js'
import { showsDialog } from './behind-dialog.js'
import { buildTree, type ScreenTree } from './elements.js'
import { ScreenXmlError } from './errors.js'
import { parseNodes, type ParsedNodes, type UiNode } from './nodes.js'

/** An empty or broken tree is often complete a moment later: a window was changing. */
const tries = 3
const pauseMs = 300
/**
 * When a phone took longer than this to return nothing (its screen never becomes idle),
 * another attempt would take as long.
 */
const patienceMs = 5000

/** The tree of a screen that is off, whatever the phone has cached. */
const nothing: ParsedNodes = { nodes: [], frontFirst: false, cut: false }

export interface ScreenRead {
  /** Cut when it does not show the foreground app: the screen then has more than the tree. */
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
      const parsed = parseNodes(xml)
      const tree = buildTree(parsed, screen, window)
      if (showsFront(parsed.nodes, window)) return { tree, window }
      if (refresh) return { tree: { ...tree, cut: true }, window }
      refresh = true
    } catch (error) {
      const again = attempt < tries && ownNow() - startedAt < patienceMs
      if (!(error instanceof ScreenXmlError) || error.neverIdle || !again) throw error
      await progress.sleep(pauseMs, 'reading the screen again')
    }
  }
}

/** @throws ScreenXmlError after broken answers; ApiError, DeviceGone, DeadlineExceeded */
export const readTree = async (device: Device, progress: Progress): Promise<ScreenTree> =>
  (await readScreen(device, progress)).tree

/** The part of the front window that `showsFront` needs. */
type FrontWindow = Pick<WindowState, 'package' | 'systemDialog'>

/**
 * Whether the tree contains the foreground app, or the system dialog over it; also true
 * when the phone does not report the app, or the nodes' packages.
 */
export function showsFront(nodes: readonly UiNode[], front: FrontWindow): boolean {
  const packages = new Set(nodes.map((node) => node.package))
  packages.delete('')
  if (packages.size === 0) return true
  if (front.systemDialog) return showsDialog(nodes, front)
  return front.package === '' || packages.has(front.package)
}
