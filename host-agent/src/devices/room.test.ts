import { expect, it } from 'vitest'
import { createRoom } from './room.js'

it('refuses reads of a phone above the limit, and runs them again when others have ended', async () => {
  const run = createRoom(2, 'reads')
  const ends: (() => void)[] = []
  const held = () => run(() => new Promise<void>((resolve) => ends.push(resolve)))
  const [first, second] = [held(), held()]
  await expect(held()).rejects.toMatchObject({ code: 'rate_limited', details: { limit: 2 } })
  ends[0]?.()
  await first
  await expect(run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  const third = held()
  for (const end of ends) end()
  await Promise.all([second, third])
})
