/**
 * A phone's state, read from the phone with plain `adb`, independently of `/v1`. Used by the tasks' checks.
 */
import { z } from 'zod'
import { plainAdb, type PlainAdb } from '../system/plain-adb.js'
import { type Tenant } from '../system/tenant.js'

export interface ScreenNode {
  id: string
  text: string
  checked: boolean
}

const devicesSchema = z.object({
  data: z.array(z.object({ serial: z.string(), phone_id: z.string().nullable() })),
})

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, dec?: string, name?: string) => {
    if (hex) return String.fromCodePoint(parseInt(hex, 16))
    if (dec) return String.fromCodePoint(Number(dec))
    return { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }[name ?? ''] ?? whole
  })

/** Returns the nodes in the output of `uiautomator dump`, in its order. */
function nodesOf(xml: string): ScreenNode[] {
  return [...xml.matchAll(/<node((?:\s+[\w-]+="[^"]*")*)/g)].map(([, attributes = '']) => {
    const value = (name: string): string =>
      decode(new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')
    return { id: value('resource-id'), text: value('text'), checked: value('checked') === 'true' }
  })
}

export class PhoneState {
  private constructor(
    private readonly adb: PlainAdb,
    readonly serial: string,
  ) {}

  /** Environment for other programs that use the same adb server. */
  get env(): NodeJS.ProcessEnv {
    return this.adb.env
  }

  /** Connects to the device of a tenant's phone. */
  static async of(tenant: Tenant, phoneId: string): Promise<PhoneState> {
    const { data } = devicesSchema.parse((await tenant.operator.get('/operator/v1/devices')).body)
    const serial = data.find((device) => device.phone_id === phoneId)?.serial
    if (!serial) throw new Error(`${phoneId} is on no device`)
    return new PhoneState(await plainAdb(serial), serial)
  }

  async shell(command: string): Promise<string> {
    return (await this.adb.run('shell', command)).toString().trim()
  }

  /**
   * Reads the foreground activity with the phone's own tool. The agent's UI server holds the phone's only
   * UiAutomation, so it is stopped first, and the agent restarts it.
   */
  async screen(): Promise<ScreenNode[]> {
    const command = 'am force-stop io.appium.uiautomator2.server; uiautomator dump /dev/tty || true'
    let printed = ''
    for (let look = 0; look < 10; look++) {
      printed = await this.shell(command)
      if (printed.includes('</hierarchy>')) return nodesOf(printed)
    }
    throw new Error(`the phone's screen could not be read: ${printed}`)
  }

  /** Returns a screen of an app that was stopped and restarted, so that only saved data is shown. */
  async fresh(component: string, extras: Record<string, string> = {}): Promise<ScreenNode[]> {
    const name = component.slice(0, component.indexOf('/'))
    const more = Object.entries(extras).map(([key, value]) => `--es ${key} ${quote(value)}`)
    await this.shell(`am force-stop ${name} && am start -W -n ${component} ${more.join(' ')}`)
    return this.screen()
  }

  async goHome(): Promise<void> {
    await this.shell('input keyevent KEYCODE_HOME')
  }

  stop(): Promise<void> {
    return this.adb.stop()
  }
}

/** Returns the texts of the nodes with this resource ID. */
export const textsOf = (screen: readonly ScreenNode[], id: string): string[] =>
  screen.filter((node) => node.id.endsWith(`:id/${id}`)).map((node) => node.text)

export const allTexts = (screen: readonly ScreenNode[]): string[] =>
  screen.map((node) => node.text).filter((text) => text !== '')
