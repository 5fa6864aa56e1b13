/** Sockets without a link: the oldest socket is closed to make room, first at the same address. */
import { expect, it } from 'vitest'
import { createWaitingRoom } from './waiting-room.js'

it('closes only the socket that has waited longest at the same address', () => {
  const out: string[] = []
  const room = createWaitingRoom<string>((socket) => out.push(socket))
  room.enter('other', 'of another')
  const leaves = Array.from({ length: 60 }, (_, index) => room.enter('one', `socket ${index}`))
  expect(out).toEqual([])
  leaves[0]?.()
  room.enter('one', 'next')
  expect(out).toEqual([])
  room.enter('one', 'one too many')
  room.enter('one', 'two too many')
  expect(out).toEqual(['socket 1', 'socket 2'])
})

it('limits the sockets of all addresses together', () => {
  const out: string[] = []
  const room = createWaitingRoom<string>((socket) => out.push(socket))
  for (let each = 0; each < 5002; each += 1) room.enter(`network ${each}`, `socket ${each}`)
  expect(out).toEqual(['socket 0', 'socket 1'])
})
