/** Calls of the live view. The test sends the video (`onWatch`). */
import { type LiveServiceServer } from '@phonerack/proto'
import { answer } from './answers.js'
import { type Inside } from './inside.js'

export const liveCalls = (agent: Inside): LiveServiceServer => ({
  watch: (call) => agent.onWatch(call),
  prepare: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('prepare', call.request.assignment)
      return {}
    }),
  standBy: (call, callback) =>
    answer(callback, async () => {
      const { phoneId = '' } = call.request.assignment ?? {}
      await agent.beginCall(`standBy ${phoneId}`, call.request.assignment)
      await new Promise<void>((resolve) => call.on('cancelled', resolve))
      agent.log.push(`standBy ended ${phoneId}`)
      return {}
    }),
})
