/** A client behind a relay that holds answers back, and its phone. Tests kill the client, or the service behind the relay. */
import { openApp, tap, type Phone } from '@phonerack/sdk'
import { forLater } from '../api.js'
import type { HeldAnswers } from '../held-answers.js'
import { eventually } from '../tenant.js'
import type { ClientKind, ClientProcess, ClientSettings, Outcome, WriteCall } from './client.js'

/** Milliseconds; generous for a loaded machine. */
const patience = 60_000

export class HeldClient {
  private constructor(
    readonly kind: ClientKind,
    readonly relay: HeldAnswers,
    private readonly settings: ClientSettings,
    /** The current process of the client. */
    public program: ClientProcess,
  ) {}

  private rented: Phone | null = null

  /** @param settings with the address of the service, which is the relay's */
  static async open(kind: ClientKind, relay: HeldAnswers, settings: ClientSettings): Promise<HeldClient> {
    const own = { ...settings, baseUrl: `http://127.0.0.1:${relay.port}` }
    return new HeldClient(kind, relay, own, await kind.open(own))
  }

  /** Starts a process after the earlier process was killed. */
  async startAgain(): Promise<void> {
    this.program = await this.kind.open(this.settings)
  }

  /** The phone, read directly from the service. */
  get phone(): Phone {
    if (this.rented === null) throw new Error(`${this.kind.name} has no phone`)
    return this.rented
  }
  set phone(phone: Phone) {
    this.rented = phone
  }

  /** Opens a new note with an empty title. */
  async openNote(): Promise<void> {
    await this.phone.act([openApp('com.phonerack.notes')])
    const add = (await this.phone.waitFor({ desc: 'New note' })).find({ desc: 'New note' })
    if (add) await this.phone.act([tap(add)])
  }

  /** How many requests of this call have arrived. */
  arrivals(call: WriteCall, phone?: string): number {
    const line = this.kind.lineOf(call, phone)
    return this.relay.requests().filter((each) => each === line).length
  }

  /**
   * Runs a call whose answer does not arrive, and kills the client once the service has carried out the call.
   */
  async killDuring(call: () => Promise<Outcome | null>, isDone: () => Promise<boolean>): Promise<void> {
    void this.relay.hold(0)
    try {
      const outcome = forLater(call())
      await eventually(`${this.kind.name} to be served`, patience, isDone)
      await this.program.kill()
      const early = await outcome
      if (early !== null) throw new Error(`${this.kind.name} was answered: ${JSON.stringify(early)}`)
      await this.relay.disconnected()
    } finally {
      this.relay.pass()
    }
  }

  /** Ends all parts. */
  async close(): Promise<void> {
    await this.program.close()
    await this.relay.close()
  }
}
