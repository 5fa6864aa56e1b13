/** The server's only session: its capabilities, settings and known elements. */
import { randomUUID } from 'node:crypto'
import { invalidArgument, ServerError } from './errors.js'

export type JsonObject = Readonly<Record<string, unknown>>

/** Names and defaults: server 10.6, `model/settings`. */
const defaultSettings = {
  actionAcknowledgmentTimeout: 3000,
  allowInvisibleElements: false,
  ignoreUnimportantViews: false,
  elementResponseAttributes: 'name,text',
  enableMultiWindows: false,
  enableNotificationListener: true,
  enableTopmostWindowFromActivePackage: false,
  keyInjectionDelay: 0,
  scrollAcknowledgmentTimeout: 200,
  shouldUseCompactResponses: true,
  waitForIdleTimeout: 10_000,
  waitForSelectorTimeout: 10_000,
  normalizeTagNames: false,
  enforceXPath1: false,
  disableIdLocatorAutocompletion: false,
  limitXPathContextScope: true,
  includeExtrasInPageSource: false,
  includeA11yActionsInPageSource: false,
  includeExtraRenderingInfo: false,
  shutdownOnPowerDisconnect: true,
  simpleBoundsCalculation: false,
  trackScrollEvents: true,
  wakeLockTimeout: 0,
  serverPort: 6790,
  mjpegServerPort: 7810,
  mjpegServerFramerate: 10,
  mjpegScalingFactor: 50,
  mjpegServerScreenshotQuality: 50,
  mjpegBilinearFiltering: false,
  useResourcesForOrientationDetection: false,
  snapshotMaxDepth: 70,
  currentDisplayId: 0,
  alwaysTraversableViewClasses: '',
  deferAccessibilityCacheReset: false,
  mapTestTagToResourceId: false,
}

type SettingName = keyof typeof defaultSettings

/** The number of elements that the server caches. */
const maxElements = 500

export class Session {
  readonly id = randomUUID()
  readonly capabilities: JsonObject
  readonly settings: Record<SettingName, boolean | number | string> = { ...defaultSettings }
  /** The found elements; the newest element is last. */
  private readonly elements = new Set<string>()

  constructor(capabilities: JsonObject) {
    const kept: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(capabilities)) {
      const setting = settingNamed(name, true)
      if (setting === null) kept[name] = value
      else this.set(setting, value)
    }
    this.capabilities = kept
  }

  /**
   * Unknown settings are ignored, as by the server.
   * @throws ServerError for a value of the wrong type
   */
  update(changes: JsonObject): void {
    for (const [name, value] of Object.entries(changes)) {
      const setting = settingNamed(name, false)
      if (setting !== null) this.set(setting, value)
    }
  }

  flag(name: SettingName): boolean {
    return this.settings[name] === true
  }

  number(name: SettingName): number {
    return Number(this.settings[name])
  }

  remember(id: string): void {
    this.elements.delete(id)
    this.elements.add(id)
    for (const oldest of this.elements) {
      if (this.elements.size <= maxElements) break
      this.elements.delete(oldest)
    }
  }

  /** @throws ServerError for an unknown or evicted element */
  assertKnown(id: string): void {
    if (!this.elements.has(id)) {
      throw new ServerError(
        'no such element',
        `The element identified by '${id}' is not present in the cache or has expired. Try to find it again`,
      )
    }
  }

  private set(name: SettingName, value: unknown): void {
    const wanted = typeof defaultSettings[name]
    const given = wanted === 'number' && typeof value === 'string' ? Number(value) : value
    const fits = typeof given === wanted && !Number.isNaN(given)
    if (!fits)
      throw invalidArgument(
        `Invalid setting value type. Got: ${value === null ? 'null' : typeof value}. Expected: ${wanted}.`,
      )
    this.settings[name] = given as boolean | number | string
  }
}

function settingNamed(name: string, anyCase: boolean): SettingName | null {
  const same = (known: string) => (anyCase ? known.toLowerCase() === name.toLowerCase() : known === name)
  return (Object.keys(defaultSettings).find(same) as SettingName | undefined) ?? null
}
