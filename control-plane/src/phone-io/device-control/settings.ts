/** Implements `SettingsService`: device info, clipboard, location, locale, time zone. */
import {
  type GetClipboardRequest,
  type GetClipboardResponse,
  type GetDeviceInfoRequest,
  type GetDeviceInfoResponse,
  type GetLocaleRequest,
  type GetLocaleResponse,
  type GetLocationRequest,
  type GetLocationResponse,
  type GetTimezoneRequest,
  type GetTimezoneResponse,
  type SetClipboardRequest,
  type SetClipboardResponse,
  type SetLocaleRequest,
  type SetLocaleResponse,
  type SetLocationRequest,
  type SetLocationResponse,
  type SetTimezoneRequest,
  type SetTimezoneResponse,
} from '@phonerack/proto'
import { ApiError } from '@phonerack/shared'
import lookUpZone from '@photostructure/tz-lookup'
import { type HostClients } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'
import { type StepRecorder } from '../steps/recorder.js'
import { createPhoneCalls, type PhoneRequest } from './phone-calls.js'
import { type Coordinates, type SettingsService } from './types.js'

export function createSettingsService(
  core: Core,
  hosts: HostClients,
  recorder: Pick<StepRecorder, 'noteText'>,
): SettingsService {
  const reach = createPhoneCalls(core, hosts)
  const defaultLocation = core.rules.defaultLocation

  const setTimezone = async (to: PhoneRequest, timezone: string): Promise<string> => {
    const answer = await reach.write<SetTimezoneRequest, SetTimezoneResponse>(
      to,
      (client, ...rest) => client.setTimezone(...rest),
      (assignment) => ({ assignment, timezone }),
      `GET /v1/phones/${to.phoneId}/timezone`,
    )
    return answer.timezone
  }

  const sendLocation = (to: PhoneRequest, location: Coordinates | null): Promise<SetLocationResponse> =>
    reach.write<SetLocationRequest, SetLocationResponse>(
      to,
      (client, ...rest) => client.setLocation(...rest),
      (assignment) => ({
        assignment,
        location: location ? { latitude: location.lat, longitude: location.lng } : undefined,
      }),
      `GET /v1/phones/${to.phoneId}/location`,
    )

  /**
   * Sets the time zone after the location. An error says that the location is set. Returns null if the phone cannot set
   * the time zone or does not know it.
   */
  async function followWith(
    to: PhoneRequest,
    timezone: string,
    done: 'location_set' | 'location_reset',
  ): Promise<string | null> {
    try {
      return await setTimezone(to, timezone)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'feature_unavailable' || error.code === 'validation_failed') return null
      throw new ApiError(error.code, {
        ...error.toPlain(),
        next: `PUT /v1/phones/${to.phoneId}/timezone {"timezone":"${timezone}"}`,
        details: { ...error.details, [done]: true, timezone },
        cause: error,
      })
    }
  }

  return {
    async deviceInfo(caller, phoneId, context) {
      const info = await reach.read<GetDeviceInfoRequest, GetDeviceInfoResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.getDeviceInfo(...rest),
        (assignment) => ({ assignment }),
      )
      return {
        brand: info.brand ?? null,
        model: info.model ?? null,
        osVersion: info.osVersion ?? null,
        screen: { width: info.screenWidth, height: info.screenHeight, density: info.screenDensity },
        carrier: info.carrier ?? null,
      }
    },

    async clipboard(caller, phoneId, context) {
      const { text } = await reach.read<GetClipboardRequest, GetClipboardResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.getClipboard(...rest),
        (assignment) => ({ assignment }),
      )
      return text
    },

    async setClipboard(caller, phoneId, text, context) {
      try {
        await reach.write<SetClipboardRequest, SetClipboardResponse>(
          { caller, phoneId, context },
          (client, ...rest) => client.setClipboard(...rest),
          (assignment) => ({ assignment, text }),
          `GET /v1/phones/${phoneId}/clipboard`,
        )
      } catch (error) {
        // The phone may have the text. Every other error means that the phone does not have it, or that the
        // key must not control the phone.
        if (error instanceof ApiError && error.code === 'action_outcome_unknown')
          recorder.noteText(phoneId, text)
        throw error
      }
      // Apps and Android show the clipboard, so steps mask its text like typed text.
      recorder.noteText(phoneId, text)
    },

    async location(caller, phoneId, context) {
      const { location } = await reach.read<GetLocationRequest, GetLocationResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.getLocation(...rest),
        (assignment) => ({ assignment }),
      )
      return location ? { lat: location.latitude, lng: location.longitude } : defaultLocation
    },

    async setLocation(caller, phoneId, { location, withTimezone }, context) {
      const to = { caller, phoneId, context }
      await sendLocation(to, location)
      if (!withTimezone) return null
      return followWith(to, lookUpZone(location.lat, location.lng), 'location_set')
    },

    async resetLocation(caller, phoneId, context) {
      const to = { caller, phoneId, context }
      await sendLocation(to, null)
      await followWith(to, lookUpZone(defaultLocation.lat, defaultLocation.lng), 'location_reset')
    },

    async locale(caller, phoneId, context) {
      const { locale } = await reach.read<GetLocaleRequest, GetLocaleResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.getLocale(...rest),
        (assignment) => ({ assignment }),
      )
      return locale
    },

    async setLocale(caller, phoneId, locale, context) {
      const answer = await reach.write<SetLocaleRequest, SetLocaleResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.setLocale(...rest),
        (assignment) => ({ assignment, locale }),
        `GET /v1/phones/${phoneId}/locale`,
      )
      return answer.locale
    },

    async timezone(caller, phoneId, context) {
      const { timezone } = await reach.read<GetTimezoneRequest, GetTimezoneResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.getTimezone(...rest),
        (assignment) => ({ assignment }),
      )
      return timezone === '' ? null : timezone
    },

    setTimezone: (caller, phoneId, timezone, context) => setTimezone({ caller, phoneId, context }, timezone),
  }
}
