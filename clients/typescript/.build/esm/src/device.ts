/** Settings and facts of the device that holds a phone. */
import type { Connection } from './connection.js'
import {
  getClipboard,
  getDevice,
  getLocale,
  getLocation,
  getTimezone,
  resetLocation,
  setClipboard,
  setLocale,
  setLocation,
  setTimezone,
} from './generated/sdk.gen.js'
import type { GetDeviceAnswer, GetLocationAnswer, SetLocationBody } from './generated/types.gen.js'
import type { CallOptions } from './transport.js'

export class Device {
  constructor(
    private readonly connection: Connection,
    private readonly phoneId: string,
  ) {}

  private sending(options: CallOptions) {
    return { ...this.connection.sending(options), path: { id: this.phoneId } }
  }

  info(options: CallOptions = {}): Promise<GetDeviceAnswer> {
    return getDevice(this.sending(options))
  }

  async clipboard(options: CallOptions = {}): Promise<string> {
    return (await getClipboard(this.sending(options))).text
  }

  async setClipboard(text: string, options: CallOptions = {}): Promise<void> {
    await setClipboard({ ...this.sending(options), body: { text } })
  }

  location(options: CallOptions = {}): Promise<GetLocationAnswer> {
    return getLocation(this.sending(options))
  }

  async setLocation(location: SetLocationBody, options: CallOptions = {}): Promise<void> {
    await setLocation({ ...this.sending(options), body: location })
  }

  async resetLocation(options: CallOptions = {}): Promise<void> {
    await resetLocation(this.sending(options))
  }

  /** Such as `de-DE`. */
  async locale(options: CallOptions = {}): Promise<string> {
    return (await getLocale(this.sending(options))).locale
  }

  async setLocale(locale: string, options: CallOptions = {}): Promise<void> {
    await setLocale({ ...this.sending(options), body: { locale } })
  }

  /** Such as `Europe/Berlin`. */
  async timezone(options: CallOptions = {}): Promise<string | null> {
    return (await getTimezone(this.sending(options))).timezone
  }

  async setTimezone(timezone: string, options: CallOptions = {}): Promise<void> {
    await setTimezone({ ...this.sending(options), body: { timezone } })
  }
}
