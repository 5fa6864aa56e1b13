/** HostService: device info, clipboard, location, locale, time zone. */
import type { HostServiceServer } from '@phonerack/proto'
import type { Logger } from '@phonerack/shared'
import type { Registry } from '../../devices/registry.js'
import { callerOf, need, unary } from './call.js'

type Settings = Pick<
  HostServiceServer,
  | 'getDeviceInfo'
  | 'getClipboard'
  | 'setClipboard'
  | 'getLocation'
  | 'setLocation'
  | 'getLocale'
  | 'setLocale'
  | 'getTimezone'
  | 'setTimezone'
>

export function createSettingsHandlers(registry: Registry, log: Logger): Settings {
  return {
    getDeviceInfo: unary(log, 'GetDeviceInfo', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const info = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.info, 'device_info').read(within))
      return {
        brand: info.brand ?? undefined,
        model: info.model ?? undefined,
        osVersion: info.osVersion ?? undefined,
        screenWidth: info.screen.width,
        screenHeight: info.screen.height,
        screenDensity: info.screen.density,
        carrier: info.carrier ?? undefined,
      }
    }),
    getClipboard: unary(log, 'GetClipboard', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const text = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.clipboard, 'clipboard').get(within))
      return { text }
    }),
    setClipboard: unary(log, 'SetClipboard', async ({ assignment, text }, progress) => {
      const caller = callerOf(assignment)
      const gate = registry.gate(caller.serial)
      await gate.write('clipboard', caller, progress, (device, within) => {
        const clipboard = need(device.clipboard, 'clipboard')
        // Apps and Android can show the clipboard's text, so it counts as typed.
        gate.typed.note(caller.phoneId)
        return clipboard.set(text, within)
      })
      return {}
    }),
    getLocation: unary(log, 'GetLocation', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const location = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.location, 'location').get(within))
      return { location: location ?? undefined }
    }),
    setLocation: unary(log, 'SetLocation', async ({ assignment, location }, progress) => {
      const caller = callerOf(assignment)
      await registry
        .gate(caller.serial)
        .write('location', caller, progress, (device, within) =>
          need(device.location, 'location').set(location ?? null, within),
        )
      return {}
    }),
    getLocale: unary(log, 'GetLocale', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const locale = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.locale, 'locale').get(within))
      return { locale }
    }),
    setLocale: unary(log, 'SetLocale', async ({ assignment, locale }, progress) => {
      const caller = callerOf(assignment)
      const now = await registry
        .gate(caller.serial)
        .write('locale', caller, progress, (device, within) =>
          need(device.locale, 'locale').set(locale, within),
        )
      return { locale: now }
    }),
    getTimezone: unary(log, 'GetTimezone', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const timezone = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.timezone, 'timezone').get(within))
      return { timezone: timezone ?? '' }
    }),
    setTimezone: unary(log, 'SetTimezone', async ({ assignment, timezone }, progress) => {
      const caller = callerOf(assignment)
      const now = await registry
        .gate(caller.serial)
        .write('timezone', caller, progress, (device, within) =>
          need(device.timezone, 'timezone').set(timezone === '' ? null : timezone, within),
        )
      return { timezone: now ?? '' }
    }),
  }
}
