// How long a replica has not heard a host or a link.
import { expect, it } from 'vitest'
import { HostSilence } from './silence.js'

const of = (hostId: string, joinId: string | null) => ({ hostId, joinId })

it('a replica counts silence from when it began to listen, by its own clock', () => {
  let now = 1000
  const silence = new HostSilence(() => now)
  const [a, b, earlier] = [of('a', 'join_2'), of('b', null), of('a', null)]
  now = 5000
  expect([silence.ofHost(a), silence.ofLink(a, 's')]).toEqual([4000, 4000])
  silence.hear(a, [{ serial: 's', link: 'healthy' }])
  now = 6000
  silence.hear(a, [{ serial: 's', link: 'offline' }])
  now = 7500
  expect([silence.ofHost(a), silence.ofLink(a, 's'), silence.ofHost(b)]).toEqual([1500, 2500, 6500])
  // This agent belongs to the time before the host joined again.
  silence.hear(earlier, [{ serial: 's', link: 'healthy' }])
  expect([silence.ofHost(a), silence.ofLink(a, 's'), silence.ofHost(earlier)]).toEqual([1500, 2500, 0])
  silence.hear(a, [])
  expect(silence.ofLink(a, 's')).toBe(2500)
})
