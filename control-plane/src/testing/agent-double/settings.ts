/** Calls that concern settings. Reads return the value that was set. */
import { type HostServiceServer } from '@phonerack/proto'
import { answer } from './answers.js'
import { type Inside } from './inside.js'

export const settingsCalls = (
  agent: Inside,
): Pick<
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
> => ({
  getDeviceInfo: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('getDeviceInfo', call.request.assignment)
      return { screenWidth: 10, screenHeight: 20, screenDensity: 160, ...agent.held.device }
    }),
  getClipboard: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('getClipboard', call.request.assignment)
      return { text: agent.held.clipboard }
    }),
  setClipboard: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('setClipboard', call.request.assignment)
      agent.held.clipboard = call.request.text
      return {}
    }),
  getLocation: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('getLocation', call.request.assignment)
      return { location: agent.held.location }
    }),
  setLocation: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('setLocation', call.request.assignment)
      agent.held.location = call.request.location
      return {}
    }),
  getLocale: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('getLocale', call.request.assignment)
      return { locale: agent.held.locale }
    }),
  setLocale: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('setLocale', call.request.assignment)
      agent.held.locale = call.request.locale
      return { locale: agent.held.locale }
    }),
  getTimezone: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('getTimezone', call.request.assignment)
      return { timezone: agent.held.timezone }
    }),
  setTimezone: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('setTimezone', call.request.assignment)
      agent.held.timezone = call.request.timezone
      return { timezone: agent.held.timezone }
    }),
})
