/** Whether this program runs in a checkout, as `./scripts/ctl`, or from its package, as `phonerack-ctl`. */
import { existsSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..', '..', '..')

/** The folder of the checkout; null: the program runs from its package. */
export const checkout: string | null = existsSync(path.join(root, 'scripts', 'ctl')) ? root : null

/**
 * Replaces the commands of a checkout in a message by the commands of the packages. Messages of the control plane name
 * the former.
 */
export const namedAsPackages = (text: string): string =>
  text.replace(/\.\/scripts\/(ctl|agent|control-plane)\b/g, 'phonerack-$1')
