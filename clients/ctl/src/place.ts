/** Whether this program runs in a checkout, as `./scripts/ctl`, or from its package, as `phonerack-ctl`. */
import { existsSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..', '..', '..')

/** Null: the package. */
export const checkout: string | null = existsSync(path.join(root, 'scripts', 'ctl')) ? root : null

/** Messages, including those of the control plane, name the commands of a checkout. Returns them with the commands of the packages. */
export const namedAsPackages = (text: string): string =>
  text.replace(/\.\/scripts\/(ctl|agent|control-plane)\b/g, 'phonerack-$1')
