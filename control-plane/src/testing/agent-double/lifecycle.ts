/** Calls that start, park, wipe, enrol and reboot. */
import { type HostServiceServer } from '@phonerack/proto'
import { ApiError } from '@phonerack/shared'
import { answer } from './answers.js'
import { wiped } from './custody.js'
import { type Inside } from './inside.js'

export const lifecycleCalls = (
  agent: Inside,
): Pick<HostServiceServer, 'startPhone' | 'parkPhone' | 'wipeDevice' | 'enrollDevice' | 'rebootPhone'> => ({
  startPhone: (call, callback) =>
    answer(callback, async () => {
      const device = agent.take(call.request.assignment, 'use')
      agent.log.push(`start ${call.request.assignment?.phoneId} ${device.fencing}`)
      await device.onStart?.()
      return { readyAt: new Date() }
    }),
  parkPhone: (call, callback) =>
    answer(callback, async () => {
      const device = agent.take(call.request.assignment, 'use')
      agent.log.push(`park ${call.request.assignment?.phoneId} ${device.fencing}`)
      await device.onPark?.()
      return {}
    }),
  wipeDevice: (call, callback) =>
    answer(callback, async () => {
      const device = agent.take(call.request.assignment, 'erase')
      agent.log.push(`wipe ${call.request.assignment?.phoneId} ${device.fencing}`)
      await device.onWipe?.()
      const checks = device.wipeChecks ?? [{ name: 'third_party_packages', passed: true, evidence: 'none' }]
      return { ...wiped(device, checks, agent.reportsCustody), checks }
    }),
  enrollDevice: (call, callback) =>
    answer(callback, async () => {
      const device = agent.devices.get(call.request.serial)
      if (!device) throw new ApiError('phone_unavailable')
      await device.onEnroll?.()
      device.fencing = call.request.fencingNumber
      device.link = 'healthy'
      const checks = device.wipeChecks ?? [{ name: 'third_party_packages', passed: true, evidence: 'none' }]
      const verdict = wiped(device, checks, agent.reportsCustody)
      agent.beat()
      const wipe = device.wipes === false ? '' : 'double'
      const capabilities = [
        { name: 'input', implementation: 'double', evidence: 'said so' },
        { name: 'wipe', implementation: wipe, evidence: 'said so' },
      ]
      return { ...verdict, checks, capabilities }
    }),
  rebootPhone: (call, callback) =>
    answer(callback, async () => {
      const device = agent.take(call.request.assignment, 'use')
      agent.log.push(`reboot ${call.request.assignment?.phoneId} ${device.fencing}`)
      await agent.onCall('rebootPhone')
      return {}
    }),
})
