/** Finds installed apps by the names that people and models give them. Pure. */
import { folded, mostSimilar } from '@phonerack/shared'
import type { InstalledApp } from '../adb/device/device.js'

const lastPart = (packageName: string): string => packageName.split('.').at(-1) ?? ''

/**
 * Returns the apps that match by the first rule that any app fits: an equal label, an equal last part of the package,
 * or a part of the label.
 */
export function appsNamed(label: string, apps: readonly InstalledApp[]): InstalledApp[] {
  const sought = folded(label)
  const steps = [
    (app: InstalledApp) => folded(app.label) === sought,
    (app: InstalledApp) => folded(lastPart(app.package)) === sought,
    (app: InstalledApp) => app.label !== app.package && folded(app.label).includes(sought),
  ]
  for (const step of steps) {
    const found = apps.filter(step)
    if (found.length > 0) return found
  }
  return []
}

/** @param name a package or a label. Packages are compared without their first part, which most packages share. */
export const similarApps = (name: string, apps: readonly InstalledApp[]): InstalledApp[] =>
  mostSimilar(
    name.includes('.') ? lastPart(name) : name,
    apps,
    (app) => [...(app.label === app.package ? [] : [app.label]), ...app.package.split('.').slice(1)],
    { count: apps.length, least: 0.5 },
  )
