/** The TypeScript SDK: a program that shows its model the text form of each screen. */
import { Phonerack, type Action, type Observation } from '@phonerack/sdk'
import { observationSchema } from '@phonerack/shared'
import { type Screen } from '@phonerack/e2e/tasks/way.js'
import { Count, type CountedWay } from './counted.js'

export async function countedSdk(baseUrl: string, apiKey: string, phoneId: string): Promise<CountedWay> {
  const count = new Count()
  let bytes = 0
  const phonerack = new Phonerack({
    apiKey,
    baseUrl,
    async fetch(input, init) {
      const request = new Request(input, init)
      bytes += (await request.clone().arrayBuffer()).byteLength
      const response = await fetch(request)
      bytes += (await response.clone().arrayBuffer()).byteLength
      return response
    },
  })
  const phone = await phonerack.phones.get(phoneId)
  const counted = (sent: string, seen: Observation | null): Screen | null => {
    count.add(bytes, sent, ...(seen ? [seen.text] : []))
    bytes = 0
    return seen && observationSchema.parse(seen.raw)
  }
  bytes = 0
  return {
    count,
    async act(actions, observe) {
      const { observation } = await phone.act(actions as Action[], { observe })
      return counted(JSON.stringify(actions), observation)
    },
    async observe() {
      const screen = counted('observe', await phone.observe())
      if (screen === null) throw new Error('no screen')
      return screen
    },
    stop: () => Promise.resolve(),
  }
}
