/** Test providers of the location service: added by `cmd location`, removed by a restart. */
import type { Android } from './android.js'

export class TestProviders {
  private readonly enabled = new Map<string, boolean>()
  /** The phone's location before the first test provider. */
  private before: Android['world']['location'] = null

  constructor(private readonly android: Android) {}

  has(name: string): boolean {
    return this.enabled.has(name)
  }

  add(name: string): void {
    if (this.enabled.size === 0) this.before = this.android.world.location
    this.enabled.set(name, false)
  }

  enable(name: string, on: boolean): void {
    this.enabled.set(name, on)
  }

  remove(name: string): void {
    if (this.enabled.delete(name) && this.enabled.size === 0) this.android.world.setLocation(this.before)
  }

  clear(): void {
    for (const name of [...this.enabled.keys()]) this.remove(name)
  }

  set(name: string, location: { latitude: number; longitude: number }): void {
    const isOn = this.android.settings.get('secure', 'location_mode') !== '0'
    if (isOn && this.enabled.get(name) === true) this.android.world.setLocation(location)
  }
}
